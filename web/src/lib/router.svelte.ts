/** Which page is shown: the address, as values. */
export type Panel = "story" | "journal" | "people" | "character" | "map" | "tools" | "assets" | "state" | "settings";
export type Route =
  | { page: "home" }
  | { page: "campaign"; name: string }
  | { page: "create"; name: string }
  | { page: "story"; id: string; panel: Panel }
  | { page: "library"; id: string }
  | { page: "settings" };

const PANELS: Panel[] = ["journal", "people", "character", "map", "tools", "assets", "state", "settings"];

function read(path: string): Route {
  const [first, second = "", third] = path.replace(/#.*/, "").split("/").filter(Boolean).map(decodeURIComponent);
  if (first === "campaign" && second) return { page: "campaign", name: second };
  if (first === "new" && second) return { page: "create", name: second };
  if (first === "story" && second)
    return { page: "story", id: second, panel: PANELS.find((panel) => panel === third) ?? "story" };
  if (first === "library" && second) return { page: "library", id: second };
  if (first === "settings") return { page: "settings" };
  return { page: "home" };
}

export const router = $state({ route: read(location.pathname) as Route });

export function go(path: string, replace = false): void {
  if (path !== location.pathname) history[replace ? "replaceState" : "pushState"](null, "", path);
  const before = router.route.page;
  router.route = read(path);
  if (before !== router.route.page) scrollTo(0, 0);
}

export const panelPath = (id: string, panel: Panel) =>
  `/story/${encodeURIComponent(id)}${panel === "story" ? "" : `/${panel}`}`;

addEventListener("popstate", () => (router.route = read(location.pathname)));

/** Plain clicks on links of this page stay in it. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest?.("a[href^='/']");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const href = link.getAttribute("href") ?? "/";
  if (href.startsWith("/api/") || link.hasAttribute("download")) return;
  event.preventDefault();
  go(href);
}
