/** How this reader likes to read; kept by the server, applied to the document. */
import { get, put } from "./api";
import { toast } from "./toasts.svelte";
import type { Settings, ShownSettings } from "./types";

export const settings: Settings = $state({
  freeText: true,
  showEffects: true,
  textSize: 1,
  spacing: 1,
  theme: "system",
  font: "serif",
  lineWidth: "normal",
  music: { volume: 0.5, on: true },
  readAloud: { voice: "", rate: 1 },
  motion: "system",
  contentLimits: { violence: "full", fear: "full", romance: "full", children: false },
});

/** What is wrong with the file that keeps them; empty where nothing is. */
export const damage = $state({ problem: "" });

const prefersLight = matchMedia("(prefers-color-scheme: light)");
const prefersStill = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether things may move. */
export const moves = () => settings.motion === "full" || (settings.motion !== "reduced" && !prefersStill.matches);

export function apply(): void {
  const root = document.documentElement;
  const { theme } = settings;
  const light = theme === "light" || theme === "sepia" || (theme === "system" && prefersLight.matches);
  root.dataset.theme = light ? "light" : "dark";
  // what differs from the two
  root.dataset.look = theme === "sepia" || theme === "black" || theme === "contrast" ? theme : "";
  root.dataset.font = settings.font;
  root.dataset.width = settings.lineWidth;
  root.dataset.motion = moves() ? "full" : "reduced";
  root.style.setProperty("--text-size", String(settings.textSize));
  root.style.setProperty("--text-spacing", String(settings.spacing));
  const paint = getComputedStyle(root).getPropertyValue("--surface").trim();
  document.querySelector("meta[name=theme-color]")?.setAttribute("content", paint);
}

prefersLight.addEventListener("change", apply);
prefersStill.addEventListener("change", apply);

const within = (value: unknown, low: number, high: number, otherwise: number) =>
  typeof value === "number" && value >= low && value <= high ? value : otherwise;

export async function loadSettings(): Promise<void> {
  apply();
  try {
    const { problem = "", ...saved } = await get<Partial<ShownSettings>>("/settings");
    damage.problem = problem;
    if (problem) toast("Your settings are damaged: the strictest content limits hold until you set them anew.");
    Object.assign(settings, saved, {
      textSize: within(saved.textSize, 0.7, 2, 1),
      spacing: within(saved.spacing, 0.7, 2, 1),
      music: { ...settings.music, ...saved.music },
      readAloud: { ...settings.readAloud, ...saved.readAloud },
      contentLimits: { ...settings.contentLimits, ...saved.contentLimits },
    });
  } catch {
    // the page works with its own defaults; whatever is wrong shows at the first real request
  }
  apply();
}

let waiting: ReturnType<typeof setTimeout> | undefined;
let limitsChanged = false;

async function save(): Promise<void> {
  clearTimeout(waiting);
  waiting = undefined;
  // limits go along only when they were set here: a page that never had them, or has old ones, would lift them
  const { contentLimits, ...others } = $state.snapshot(settings);
  const sent = limitsChanged ? { ...others, contentLimits } : others;
  limitsChanged = false;
  try {
    damage.problem = (await put<ShownSettings>("/settings", sent)).problem ?? "";
  } catch (error) {
    toast(`Settings were not saved: ${(error as Error).message}`);
  }
}

export function saveSettings(): void {
  apply();
  clearTimeout(waiting);
  waiting = setTimeout(save, 250);
}

export function saveLimits(): void {
  limitsChanged = true;
  saveSettings();
}

// whoever leaves at once keeps what they set
addEventListener("pagehide", () => {
  if (waiting !== undefined) void save();
});
