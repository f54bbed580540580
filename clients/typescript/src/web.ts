/** The way to a daemon from a browser: gRPC-Web, which `bgbotd serve --web` answers. */

import { Code, ConnectError } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { type Client, clientOver } from "./client.js";
import type { CallDefaults } from "./transport.js";

/** Gives the services behind `baseUrl`, by default those of the page's own origin. */
export function connect(baseUrl = globalThis.location?.origin ?? "", defaults: CallDefaults = {}): Client {
  const transport = createGrpcWebTransport({ baseUrl, fetch: reach });
  return clientOver(transport, defaults);
}

/** Fetches, and says in the contract's words when nobody was reached: a browser only says TypeError. */
async function reach(...request: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await fetch(...request);
  } catch (thrown) {
    throw thrown instanceof TypeError
      ? new ConnectError("the daemon cannot be reached", Code.Unavailable, undefined, undefined, thrown)
      : thrown;
  }
}
