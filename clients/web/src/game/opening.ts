/** How games begin. */

import { create } from "@bufbuild/protobuf";
import { positionSource, startingPosition } from "bgbot";
import {
  CrawfordState,
  CubeOwner,
  Decision,
  type Dice,
  type MatchState,
  MatchStateSchema,
  type Position,
} from "bgbot/v1";
import { daemon } from "../daemon.js";
import { type RecordedThrow, seal } from "./sealed-game.js";
import { whoIs } from "./sides.js";
import type { Agreement, Game, Moment } from "./state.js";
import { turnAfter } from "./turn.js";

/** A position that somebody has brought; you are the one who decides. */
export interface Imported {
  readonly position: Position;
  readonly match: MatchState;
  readonly decision: Decision;
  readonly dice?: Dice;
}

/**
 * Reads a position in some notation.
 *
 * @throws {@link BgbotError} for what cannot be read, and for a position in which nothing can be decided, such as a
 *   finished game: it would end a match for nothing.
 */
export async function read(notation: string): Promise<Imported> {
  const answer = await daemon.rules.convertPosition({ position: positionSource(notation) });
  const { position, match, dice } = answer;
  if (!position || !match) {
    throw new Error("an answer holds the position");
  }
  const decision = answer.decision || Decision.DOUBLE_OR_ROLL;
  if (dice) {
    await turnAfter(position, dice, []);
  } else {
    await daemon.rules.listCubeActions({ position: positionSource(position), match, decision });
  }
  return { position, match, decision, ...(dice && { dice }) };
}

/** Gives a game whose dice are sealed and not yet thrown. */
export async function freshGame(
  agreement: Agreement,
  word: string | undefined,
  number: number,
  imported?: Imported,
): Promise<Game> {
  const dice = await seal(word, number);
  const at: Moment = imported
    ? { turn: "you", ...imported }
    : { turn: "you", position: startingPosition(), match: agreed(agreement), decision: Decision.OPENING_ROLL };
  return { number, dice, at, made: [] };
}

function agreed({ length, crawford, jacoby, beavers }: Agreement): MatchState {
  const isMatch = length > 0;
  // In a match to one point both sides are one point away from the start, and there is nothing to double.
  const first = length === 1 ? CrawfordState.CRAWFORD_GAME : CrawfordState.NOT_REACHED;
  return create(MatchStateSchema, {
    length,
    crawford: isMatch && crawford ? first : CrawfordState.NOT_PLAYED,
    jacoby: !isMatch && jacoby,
    beavers: !isMatch && beavers,
    cube: { value: 1, owner: CubeOwner.CENTERED },
  });
}

/** Begins a game with an opening roll, `die1` yours; the match is seen by you. */
export async function opened(match: MatchState, { dice: [die1, die2], ties }: RecordedThrow): Promise<Moment> {
  const dice = { die1, die2 };
  const answer = await daemon.rules.startGame({
    match,
    dice,
    ties: ties.map(([tie1, tie2]) => ({ die1: tie1, die2: tie2 })),
  });
  if (!answer.position || !answer.match || !answer.dice) {
    throw new Error("an answer holds the first decision");
  }
  return {
    turn: whoIs(answer.beginner, "you"),
    position: answer.position,
    match: answer.match,
    decision: answer.nextDecision,
    dice: answer.dice,
  };
}
