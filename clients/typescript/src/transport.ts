/** What every call has in common: a deadline, a token, retries, and errors read as `BgbotError`. */

import { Code, type Transport } from "@connectrpc/connect";
import { BgbotError } from "./errors.js";

/** What a call gets unless it says otherwise. */
export interface CallDefaults {
  /** Milliseconds a unary call may take, retries included; 30 seconds unless said. Streams take as long as they need. */
  readonly timeoutMs?: number;
  /** Sent with every call as `authorization: Bearer`. On a plain connection anyone on the way can read it. */
  readonly token?: string;
}

// The same as the Python client's channel: UNAVAILABLE says that the daemon was not reached or is
// draining, so that another try reaches its successor. No unary method does harm when it is sent twice.
const ATTEMPTS = 4;
const FIRST_BACKOFF_MS = 100;

/** Gives the transport with these defaults. */
export function withCallDefaults(transport: Transport, { timeoutMs = 30_000, token }: CallDefaults): Transport {
  const headers = (own: HeadersInit | undefined) => {
    const all = new Headers(own);
    if (token !== undefined) {
      all.set("authorization", `Bearer ${token}`);
    }
    return all;
  };
  return {
    async unary(method, signal, ownTimeoutMs, header, input, contextValues) {
      const deadline = performance.now() + (ownTimeoutMs ?? timeoutMs);
      for (let attempt = 1; ; attempt++) {
        const timeLeft = Math.max(1, Math.ceil(deadline - performance.now()));
        try {
          return await transport.unary(method, signal, timeLeft, headers(header), input, contextValues);
        } catch (thrown) {
          const error = BgbotError.from(thrown);
          const backoff = FIRST_BACKOFF_MS * 2 ** (attempt - 1) * (0.8 + 0.4 * Math.random());
          const lastChance = attempt === ATTEMPTS || performance.now() + backoff >= deadline;
          if (error.code !== Code.Unavailable || lastChance || signal?.aborted) {
            throw error;
          }
          await pause(backoff, signal);
        }
      }
    },
    async stream(method, signal, ownTimeoutMs, header, input, contextValues) {
      try {
        const response = await transport.stream(method, signal, ownTimeoutMs, headers(header), input, contextValues);
        return { ...response, message: reading(response.message) };
      } catch (thrown) {
        throw BgbotError.from(thrown);
      }
    },
  };
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function* reading<Message>(messages: AsyncIterable<Message>): AsyncIterable<Message> {
  try {
    yield* messages;
  } catch (thrown) {
    throw BgbotError.from(thrown);
  }
}
