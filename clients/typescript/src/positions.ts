/** Ways to say a position. */

import { create } from "@bufbuild/protobuf";
import {
  type Position,
  PositionSchema,
  type PositionSource,
  PositionSourceSchema,
} from "./generated/bgbot/v1/position_pb.js";

const STARTING_CHECKERS = new Map([
  [6, 5],
  [8, 3],
  [13, 5],
  [24, 2],
]);

/** Gives the position at the start of a game, the same from both sides. */
export function startingPosition(): Position {
  const side = { points: Array.from({ length: 24 }, (_, index) => STARTING_CHECKERS.get(index + 1) ?? 0) };
  return create(PositionSchema, { player: side, opponent: side });
}

/**
 * Gives the form in which requests want a position.
 *
 * @param source a position; an XGID, with or without its leading `XGID=`; a GNU Backgammon Position ID,
 *   alone or as `PositionID:MatchID`; nothing for the start of a game. Whether an ID can be read is for
 *   the server to judge.
 */
export function positionSource(source: Position | string = startingPosition()): PositionSource {
  if (typeof source !== "string") {
    return create(PositionSourceSchema, { source: { case: "position", value: source } });
  }
  // An XGID has ten fields joined by colons, a GNU Backgammon ID two at most.
  const isXgid = source.startsWith("XGID=") || source.split(":").length > 2;
  return create(PositionSourceSchema, { source: { case: isXgid ? "xgid" : "gnubgId", value: source } });
}
