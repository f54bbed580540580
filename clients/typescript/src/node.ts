/** The way to a daemon from Node: gRPC over HTTP/2. */

import type { SecureClientSessionOptions } from "node:http2";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { type StreamingClient, streamingClientOver } from "./client.js";
import type { CallDefaults } from "./transport.js";

/** How to reach a daemon. */
export interface ConnectOptions extends CallDefaults {
  /** For TLS: `true` trusts the system's authorities; `ca`, `cert` and `key` as in `node:tls` say otherwise. */
  readonly tls?: boolean | Pick<SecureClientSessionOptions, "ca" | "cert" | "key">;
}

/** A connection that is to be closed. */
export interface NodeClient extends StreamingClient {
  /** Closes the connection; calls in flight are cancelled. */
  close(): void;
}

/** Opens a connection to `HOST:PORT`; it connects with the first call. */
export function connect(address = "127.0.0.1:50051", { tls = false, ...defaults }: ConnectOptions = {}): NodeClient {
  const baseUrl = `${tls ? "https" : "http"}://${address}`;
  // The daemon closes connections that ping more often than every 30 seconds.
  const pings = { pingIntervalMs: 60_000, pingTimeoutMs: 20_000 };
  const sessionManager = new Http2SessionManager(baseUrl, pings, typeof tls === "object" ? tls : {});
  return {
    ...streamingClientOver(createGrpcTransport({ baseUrl, sessionManager }), defaults),
    close: () => sessionManager.abort(),
  };
}
