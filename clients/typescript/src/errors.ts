/** The one error of this client, read from the rich errors of the daemon. */

import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./generated/google/rpc/error_details_pb.js";

/** One thing that is wrong with a request. */
export interface Violation {
  /** Path of the field in the request, such as `position.position.player.points[5]`. */
  readonly field: string;
  /** What was found there and what would have been right. */
  readonly description: string;
  /** Name of an `ErrorReason` without its prefix; empty where the server says none. */
  readonly reason: string;
}

/** A call that failed, refused by the daemon or lost on the way to it. */
export class BgbotError extends Error {
  override readonly name = "BgbotError";
  /** The error it was read from. */
  declare readonly cause: ConnectError;
  /** The status, such as `Code.InvalidArgument`. */
  readonly code: Code;
  /** What went wrong, for a person to read, without the status. */
  readonly explanation: string;
  /** Name of an `ErrorReason` without its prefix; empty when the answer is not the daemon's own. */
  readonly reason: string;
  /** Everything that is wrong with the request; empty unless it was refused as invalid. */
  readonly violations: readonly Violation[];
  /** Finds the call in the daemon's log; empty where the daemon was not reached. */
  readonly requestId: string;
  /** How many milliseconds to wait before trying again, where the daemon says it. */
  readonly retryAfterMs: number | undefined;

  constructor(cause: ConnectError) {
    super(`${Code[cause.code]}: ${cause.rawMessage}`, { cause });
    const retry = cause.findDetails(RetryInfoSchema)[0];
    this.code = cause.code;
    this.explanation = cause.rawMessage;
    this.reason = cause.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
    this.violations = cause
      .findDetails(BadRequestSchema)
      .flatMap((request) => request.fieldViolations)
      .map(({ field, description, reason }) => ({ field, description, reason }));
    this.requestId = cause.metadata.get("x-request-id") ?? "";
    this.retryAfterMs = retry?.retryDelay && durationMs(retry.retryDelay);
  }

  /** Reads whatever a call has thrown. */
  static from(thrown: unknown): BgbotError {
    return thrown instanceof BgbotError ? thrown : new BgbotError(ConnectError.from(thrown));
  }
}
