/** What is said at the table. */

import { CubeAction, type CubeActionStatus, Decision, type Dice, type Play, Restriction, ResultKind } from "bgbot/v1";
import type { RecordedThrow } from "./sealed-game.js";
import type { Who } from "./sides.js";
import type { Ending, Moment, Turn } from "./state.js";

export const KINDS: Readonly<Record<ResultKind, string>> = {
  [ResultKind.UNSPECIFIED]: "",
  [ResultKind.SINGLE]: "single game",
  [ResultKind.GAMMON]: "gammon",
  [ResultKind.BACKGAMMON]: "backgammon",
};

export function points(count: number): string {
  return `${count} ${count === 1 ? "point" : "points"}`;
}

export function beforeOpening(number: number): string {
  return `Game ${number}. The dice are sealed: throw for the opening.`;
}

export function opening({ dice: [yours, bots], ties }: RecordedThrow, turn: Who, botTitle: string): string {
  const tied = ties.length > 0 ? `After ${ties.map((tie) => tie.join("-")).join(", ")}: ` : "";
  const who = turn === "you" ? "you begin" : `${botTitle} begins`;
  return `${tied}You throw ${yours}, ${botTitle} ${bots}: ${who}.`;
}

export function restricted({ die1, die2 }: Dice, restriction: Restriction): string {
  switch (restriction) {
    case Restriction.DANCE:
      return "No moves: you stay on the bar.";
    case Restriction.BLOCKED:
      return "No moves.";
    case Restriction.LARGER_DIE_FORCED:
      return `Use the ${Math.max(die1, die2)}!`;
    case Restriction.BOTH_DICE_FORCED:
      return "All dice must be played.";
    case Restriction.PARTIAL:
      return "Only part of the roll can be played.";
    default:
      return "";
  }
}

export function yourTurn(dice: Dice, restriction: Restriction): string {
  return `You rolled ${dice.die1}-${dice.die2}. ${restricted(dice, restriction)}`.trim();
}

export function stepped(turn: Turn): string {
  if (turn.complete) {
    return "Turn complete. Confirm or undo.";
  }
  return turn.played.length === 0 ? "Undone." : `Left to play: ${turn.remainingDice.join(", ")}.`;
}

export function yourCube({ decision, match }: Moment, actions: readonly CubeActionStatus[], botTitle: string): string {
  const value = match.cube?.value ?? 1;
  if (decision === Decision.TAKE_OR_PASS) {
    return `${botTitle} doubles to ${2 * value}. Take or pass?`;
  }
  if (decision === Decision.BEAVER_RESPONSE) {
    return `${botTitle} beavers: the cube goes to ${4 * value}. Play on or pass?`;
  }
  const mayDouble = actions.some(({ action, allowed }) => action === CubeAction.DOUBLE && allowed);
  return mayDouble ? "Your turn: roll or double." : "Your turn: roll.";
}

export function cubeAction(action: CubeAction, { turn, match }: Moment, botTitle: string): string {
  const value = match.cube?.value ?? 1;
  const [who, verb] = turn === "you" ? ["You", ""] : [botTitle, "s"];
  switch (action) {
    case CubeAction.DOUBLE:
      return `${who} double${verb} to ${2 * value}.`;
    case CubeAction.TAKE:
      return `${who} take${verb}.`;
    case CubeAction.PASS:
      return turn === "you" ? "You pass." : `${botTitle} passes.`;
    case CubeAction.BEAVER:
      return `${who} beaver${verb}.`;
    default:
      return "";
  }
}

export function botPlay(botTitle: string, { die1, die2 }: Dice, { notation, steps }: Play, why: Restriction): string {
  const roll = `${botTitle} rolled ${die1}-${die2}`;
  if (steps.length === 0) {
    return `${roll} and ${why === Restriction.DANCE ? "dances" : "cannot move"}.`;
  }
  return `${roll} and plays ${notation}.`;
}

export function botOffersToLose(botTitle: string, offered: ResultKind): string {
  return `${botTitle} offers to lose a ${KINDS[offered]}.`;
}

export function answerToYourLoss(botTitle: string, accepted: boolean): string {
  return accepted ? `${botTitle} accepts.` : `${botTitle} refuses: play on.`;
}

export function ending({ winner, kind, points: won, by }: Ending, botTitle: string): string {
  const who = winner === "you" ? "You win" : `${botTitle} wins`;
  const how =
    by === "pass" ? "by a pass" : by === "resignation" ? `a ${KINDS[kind]} by resignation` : `a ${KINDS[kind]}`;
  return `${who} ${how}: ${points(won)}.`;
}
