import { readdirSync } from "node:fs";
import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

const components = readdirSync(`${import.meta.dirname}/src`, { recursive: true })
  .filter((file) => file.endsWith(".svelte"))
  .sort();

/** A component's place among all of them: the same wherever it is built, and in whatever order. */
const scopeOf = (filename) => `s${components.findIndex((file) => filename.endsWith(`/${file}`)).toString(36)}`;

export default {
  preprocess: vitePreprocess(),
  // short names: each stands in the stylesheet and in the script many times
  compilerOptions: { cssHash: ({ filename }) => scopeOf(filename), discloseVersion: false },
};
