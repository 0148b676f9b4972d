/** Small conversions to words a reader expects. */
export function ago(iso: string | undefined): string {
  if (!iso) return "";
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  if (!Number.isFinite(seconds)) return "";
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (seconds < 90) return "just now";
  if (seconds < 5400) return relative.format(-Math.round(seconds / 60), "minute");
  if (seconds < 129600) return relative.format(-Math.round(seconds / 3600), "hour");
  return relative.format(-Math.round(seconds / 86400), "day");
}

export function played(minutes: number | undefined): string {
  if (!minutes || minutes < 1) return "under a minute";
  if (minutes < 60) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 10 ? `${hours.toFixed(1).replace(".0", "")} h` : `${Math.round(hours)} h`;
}

export const count = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export function bytes(n: number | undefined): string {
  if (!n) return "";
  const units = ["B", "kB", "MB", "GB"];
  const step = Math.min(3, Math.floor(Math.log10(n) / 3));
  const value = n / 1000 ** step;
  return `${value < 10 && step ? value.toFixed(1) : Math.round(value)} ${units[step]}`;
}

export const ms = (n: number | undefined) =>
  n === undefined || n === null ? "" : n < 1000 ? `${Math.round(n)} ms` : `${(n / 1000).toFixed(n < 10000 ? 1 : 0)} s`;

/** `anselm-voke` → `Anselm Voke`; names that are written already stay. */
export const named = (id: string) =>
  /[A-Z ]/.test(id)
    ? id
    : id
        .replace(/[-_]+/g, " ")
        .replace(/(^|\s)\p{L}/gu, (letter) => letter.toUpperCase())
        .replace(/\bNpc\b/, "NPC");

export const signed = (n: number) => (n > 0 ? `+${n}` : n < 0 ? `−${Math.abs(n)}` : "0");

/** Minutes since the story began → `Day 2`; at which hour it began, only its prose says. */
export function gameTime(value: string | number | undefined | null): string {
  if (typeof value === "string" || value === undefined || value === null) return value ?? "";
  return `Day ${Math.floor(value / 1440) + 1}`;
}

export function text(value: unknown): string {
  if (typeof value === "string") return value;
  if (value && typeof value === "object" && "message" in value) return String((value as { message: unknown }).message);
  return JSON.stringify(value, null, 2) ?? "";
}

/** Where scenes are sent to be told; empty if they stay on this machine. */
export const leavesTo = ({ sends }: { sends: string }) => (sends.endsWith("on this machine") ? "" : sends);
