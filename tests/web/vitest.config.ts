import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: "served.ts",
    include: ["*.test.ts"],
    // One browser at a time: two cores hold a daemon, its engine, the edge and a page.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
