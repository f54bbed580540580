/** Runs the daemon with its web edge, and Chromium. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { connect, type NodeClient } from "bgbot/node";
import { type Browser, chromium } from "playwright-core";

const BGBOTD = fileURLToPath(new URL("../../.venv/bin/bgbotd", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export interface Running {
  /** Where the page is. */
  readonly url: string;
  /** Where the daemon itself is. */
  readonly address: string;
  readonly client: NodeClient;
  stop(): Promise<void>;
}

export interface Places {
  readonly web?: string;
  readonly listen?: string;
  /** Added to the daemon's environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

const FREE = "127.0.0.1:0";

/** Starts a daemon, by default on free ports. */
export async function serve({ web = FREE, listen = FREE, environment }: Places = {}): Promise<Running> {
  const options = ["serve", "--listen", listen, "--web", "--web.listen", web, "--grace-seconds", "1"];
  const daemon = spawn(BGBOTD, options, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...environment },
  });
  const ended = new Promise<void>((resolve) => daemon.once("exit", () => resolve()));
  const lines: string[] = [];
  const log = createInterface(daemon.stderr);
  const serving = await new Promise<{ listen: string; web: string }>((resolve, reject) => {
    log.on("line", (line) => {
      lines.push(line);
      // What is no JSON tells why there will be no daemon.
      const said = line.startsWith("{")
        ? (JSON.parse(line) as { event: string; listen: string; web: string })
        : undefined;
      if (said?.event === "serving") {
        resolve(said);
      }
    });
    void ended.then(() => reject(new Error(`the daemon has ended: ${lines.join("\n")}`)));
  });
  const client = connect(serving.listen);
  return {
    url: `http://${serving.web}`,
    address: serving.listen,
    client,
    stop: async () => {
      client.close();
      daemon.kill();
      await ended;
    },
  };
}

/** Starts Debian's Chromium; the flags keep it from looking for its maker's hosts. */
export function browse(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
