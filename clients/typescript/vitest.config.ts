import { defineConfig } from "vitest/config";

// Programs start slowly on a machine that has much else to do.
export default defineConfig({
  test: { globalSetup: "tests/daemon.ts", include: ["tests/*.test.ts"], testTimeout: 60_000 },
});
