/** The way to a daemon from Node: gRPC over HTTP/2. */

import type { SecureClientSessionOptions } from "node:http2";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
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
    ...streamingClientOver(createGrpcTransport({ baseUrl, sessionManager, interceptors: [reach] }), defaults),
    close: () => sessionManager.abort(),
  };
}

/** Says in gRPC's words that nobody trustworthy was reached, or that the connection broke: Node has its own for that. */
const reach: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (thrown) {
    const error = ConnectError.from(thrown);
    const { cause, code, rawMessage } = error;
    const isNodes = cause instanceof Error && "code" in cause && typeof cause.code === "string";
    const failed = isNodes && (code === Code.Internal || code === Code.Aborted);
    // Node closes the streams of a lost connection as if somebody had cancelled them.
    const lost = code === Code.Canceled && !request.signal.aborted && rawMessage.startsWith("http/2 stream closed");
    throw failed || lost ? new ConnectError(rawMessage, Code.Unavailable, undefined, undefined, cause) : error;
  }
};
