/** Runs one daemon on a free port for all tests. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const BGBOTD = fileURLToPath(new URL("../../../.venv/bin/bgbotd", import.meta.url));

declare module "vitest" {
  interface ProvidedContext {
    readonly address: string;
    /** Where gRPC-Web is answered. */
    readonly web: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const daemon = spawn(BGBOTD, ["serve", "--listen", "127.0.0.1:0", "--web", "--web.listen", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => daemon.once("exit", () => resolve()));
  const log = createInterface(daemon.stderr);
  const first = await new Promise<string>((resolve) => log.once("line", resolve));
  const { listen, web } = JSON.parse(first) as { listen: string; web: string };
  project.provide("address", listen);
  project.provide("web", `http://${web}`);
  return async () => {
    daemon.kill();
    await ended;
  };
}
