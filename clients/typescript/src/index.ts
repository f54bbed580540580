/**
 * A thin, typed client of the backgammon daemon bgbotd.
 *
 * `bgbot/node` and `bgbot/web` open connections; `bgbot/v1` holds the contract's messages. Every failed
 * call throws a `BgbotError`.
 */

export { Code } from "@connectrpc/connect";
export { type Client, clientOver, type StreamingClient, streamingClientOver } from "./client.js";
export { type DrawingOptions, drawBoard } from "./draw-board.js";
export { BgbotError, type Violation } from "./errors.js";
export { positionSource, startingPosition } from "./positions.js";
export { commitment, deriveRoll, type Faces, type SealedRoll, type Verdict, verifyRolls } from "./sealed-dice.js";
export type { CallDefaults } from "./transport.js";
