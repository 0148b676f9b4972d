import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";
// @ts-expect-error a plain module, shared with nothing else
import { sourceHash } from "./sources.mjs";

/** Writes down which sources the build was made of. */
function recordSources(): Plugin {
  return {
    name: "record-sources",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "sources.sha256", source: `${sourceHash(import.meta.dirname)}\n` });
    },
  };
}

export default defineConfig({
  plugins: [svelte(), recordSources()],
  build: {
    outDir: "../src/narratoria/web/static",
    emptyOutDir: true,
    cssCodeSplit: false, // as one file they are smaller, and no part waits for its own
    assetsInlineLimit: 0, // the content security policy allows no data: fonts
    modulePreload: {
      polyfill: false, // it would be an inline script
      // scripts name their own, and the one sheet is there
      resolveDependencies: (_, files, { hostType }) => (hostType === "html" ? files : []),
    },
    target: "es2022",
    rollupOptions: {
      output: {
        entryFileNames: "assets/app-[hash:8].js",
        chunkFileNames: "assets/[name]-[hash:8].js",
        assetFileNames: "assets/[name]-[hash:8][extname]",
        // what several parts use is one file: each of its own would name again what it takes from the others
        codeSplitting: { groups: [{ name: "shared", test: /node_modules|src.(ui|lib)./, minShareCount: 2 }] },
      },
    },
  },
});
