import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globalSetup: "tests/daemon.ts", include: ["tests/*.test.ts"] },
});
