// One hash over everything the build depends on; tests/meta/test_web_build.py computes the same.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

const ROOTS = [
  "index.html",
  "package-lock.json",
  "public",
  "sources.mjs",
  "src",
  "svelte.config.js",
  "theme.mjs",
  "tsconfig.json",
  "vite.config.ts",
];

function* filesUnder(path) {
  if (!statSync(path).isDirectory()) yield path;
  else for (const name of readdirSync(path)) yield* filesUnder(join(path, name));
}

export function sourceHash(folder) {
  const paths = ROOTS.flatMap((root) => [...filesUnder(join(folder, root))]);
  const named = paths.map((path) => [relative(folder, path).split(sep).join("/"), path]);
  named.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const hash = createHash("sha256");
  for (const [name, path] of named) {
    hash.update(`${name}\n${createHash("sha256").update(readFileSync(path)).digest("hex")}\n`);
  }
  return hash.digest("hex");
}
