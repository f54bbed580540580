/** Runs one daemon for all tests. */

import type { TestProject } from "vitest/node";
import { serve } from "./running.js";

declare module "vitest" {
  interface ProvidedContext {
    readonly url: string;
    readonly address: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = await serve();
  project.provide("url", running.url);
  project.provide("address", running.address);
  return () => running.stop();
}
