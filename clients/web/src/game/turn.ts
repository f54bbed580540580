/** A turn of yours: what the daemon lets you do next, and where a checker could go with several dice. */

import { positionSource } from "bgbot";
import type { Dice, Position, Step } from "bgbot/v1";
import { daemon } from "../daemon.js";
import type { Turn } from "./state.js";

/** Asks what may come after these steps of a turn. */
export async function turnAfter(position: Position, dice: Dice, played: readonly Step[]): Promise<Turn> {
  const answer = await daemon.rules.listLegalSteps({ position: positionSource(position), dice, played: [...played] });
  return {
    played,
    current: answer.current ?? position,
    steps: answer.steps,
    remainingDice: answer.remainingDice,
    complete: answer.turnComplete,
    restriction: answer.restriction,
  };
}

/** The ways of one checker from a point: for each landing spot the steps that lead there, the fewest first. */
export async function waysFrom(
  from: number,
  position: Position,
  dice: Dice,
  turn: Turn,
): Promise<ReadonlyMap<number, readonly Step[]>> {
  const ways = new Map<number, readonly Step[]>();
  let ends = [{ turn, at: from, way: [] as readonly Step[] }];
  while (ends.length > 0) {
    const next: typeof ends = [];
    for (const end of ends) {
      for (const step of end.turn.steps.filter((candidate) => candidate.from === end.at)) {
        if (!ways.has(step.to)) {
          const way = [...end.way, step];
          ways.set(step.to, way);
          next.push({ turn: await turnAfter(position, dice, [...turn.played, ...way]), at: step.to, way });
        }
      }
    }
    ends = next;
  }
  return ways;
}
