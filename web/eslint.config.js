import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["node_modules/", "src/lib/schema.ts"] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: [".svelte"], svelteConfig } },
  },
  {
    rules: {
      "no-undef": "off", // TypeScript knows better
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "svelte/require-each-key": "off", // lists that change have keys, the others are drawn once
      "svelte/no-useless-mustaches": "off", // prettier keeps spaces so
      "svelte/prefer-svelte-reactivity": "off", // maps are made and read within one derivation
      "svelte/no-navigation-without-resolve": "off", // for SvelteKit; the router here is our own
    },
  },
);
