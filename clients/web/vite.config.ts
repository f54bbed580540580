import { defineConfig } from "vite";

// Where `make web` builds the pages that `bgbotd serve --web` serves.
const PAGES = "../../bgbotd/web/pages";

export default defineConfig({
  build: { outDir: PAGES, emptyOutDir: true, target: "es2022", modulePreload: { polyfill: false } },
  esbuild: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { proxy: { "^/bgbot.v1.": "http://127.0.0.1:8080" } },
});
