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
    assetsInlineLimit: 0, // the content security policy allows no data: fonts
    modulePreload: { polyfill: false }, // it would be an inline script
    target: "es2022",
    rollupOptions: {
      output: {
        entryFileNames: "assets/app-[hash:8].js",
        chunkFileNames: "assets/[name]-[hash:8].js",
        assetFileNames: "assets/[name]-[hash:8][extname]",
      },
    },
  },
});
