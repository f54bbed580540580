/** The daemon that serves this page. */

import { BgbotError, Code } from "bgbot";
import { connect } from "bgbot/web";

export const daemon = connect();

/** Says what went wrong, for a person: what has happened, and what the daemon says about it. */
export function inWords(thrown: unknown): { title: string; explanation: string } {
  const error = BgbotError.from(thrown);
  const titles: Partial<Record<Code, string>> = {
    [Code.Unavailable]: "The daemon is away",
    [Code.DeadlineExceeded]: "The daemon took too long",
    [Code.ResourceExhausted]: "The daemon is busy",
    [Code.FailedPrecondition]: "This daemon cannot do that",
    [Code.Unauthenticated]: "The daemon asks for a token",
    [Code.InvalidArgument]: "The daemon refused it",
  };
  const violations = error.violations.map(({ description }) => description).join("; ");
  const reference = error.requestId ? ` (request ${error.requestId})` : "";
  return {
    title: titles[error.code] ?? "Something went wrong",
    explanation: violations || `${error.explanation}${error.code === Code.Internal ? reference : ""}`,
  };
}

/** Whether a call failed only because the daemon has no engine here. */
export function lacksEngine(thrown: unknown): boolean {
  return BgbotError.from(thrown).reason === "ENGINE_UNAVAILABLE";
}
