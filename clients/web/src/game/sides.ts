/** The two at the board, and whose view a message is in. Nothing here knows a rule. */

import { create } from "@bufbuild/protobuf";
import {
  CubeOwner,
  CubeSchema,
  GameSide,
  type MatchState,
  MatchStateSchema,
  type Position,
  PositionSchema,
} from "bgbot/v1";

export type Who = "you" | "bot";

export function otherThan(who: Who): Who {
  return who === "you" ? "bot" : "you";
}

/** Gives who is meant by a side that `seenBy` calls player or opponent. */
export function whoIs(side: GameSide, seenBy: Who): Who {
  return side === GameSide.PLAYER ? seenBy : otherThan(seenBy);
}

/** Turns a position that `seenBy` sees into the one you see. */
export function yourView(position: Position, seenBy: Who): Position {
  return seenBy === "you" ? position : flipped(position);
}

/** Gives the same position seen by the other side. */
export function flipped({ player, opponent }: Position): Position {
  return create(PositionSchema, { ...(opponent && { player: opponent }), ...(player && { opponent: player }) });
}

const OTHER_OWNER = new Map([
  [CubeOwner.PLAYER, CubeOwner.OPPONENT],
  [CubeOwner.OPPONENT, CubeOwner.PLAYER],
]);

/** Gives the same score and cube seen by the other side. */
export function flippedMatch(match: MatchState): MatchState {
  const { cube, playerScore, opponentScore } = match;
  return create(MatchStateSchema, {
    ...match,
    playerScore: opponentScore,
    opponentScore: playerScore,
    ...(cube && { cube: create(CubeSchema, { value: cube.value, owner: OTHER_OWNER.get(cube.owner) ?? cube.owner }) }),
  });
}

/** Turns a score that `seenBy` sees into the one you see. */
export function yourMatch(match: MatchState, seenBy: Who): MatchState {
  return seenBy === "you" ? match : flippedMatch(match);
}
