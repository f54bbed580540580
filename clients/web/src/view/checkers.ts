/** Which checker is which, so that each is seen to go where it went. */

import type { Position, Side } from "bgbot/v1";
import * as at from "./geometry.js";

export interface Checker {
  readonly id: number;
  readonly yours: boolean;
  /** Point in its owner's numbering, 25 for the bar, 0 for off. */
  readonly point: number;
  readonly slot: number;
  /** How many stand there. */
  readonly count: number;
}

const EACH = 15;

/** Gives all checkers of a position, those of before in their places as far as they did not move. */
export function placed({ player, opponent }: Position, before: readonly Checker[]): readonly Checker[] {
  return [...sidePlaced(player, true, before), ...sidePlaced(opponent, false, before)];
}

function sidePlaced(side: Side | undefined, yours: boolean, before: readonly Checker[]): Checker[] {
  const counts = new Map(side?.points.map((count, index) => [index + 1, count]));
  counts.set(at.YOUR_BAR, side?.bar ?? 0);
  counts.set(at.OFF, side?.off ?? 0);
  const known = before.filter((checker) => checker.yours === yours).sort((one, other) => one.slot - other.slot);
  const ids = known.length === EACH ? known : Array.from({ length: EACH }, (_, id) => ({ id, point: -1 }));
  const staying = new Map<number, number[]>();
  const moving: number[] = [];
  for (const { id, point } of ids) {
    const there = staying.get(point) ?? [];
    if (there.length < (counts.get(point) ?? 0)) {
      staying.set(point, [...there, id]);
    } else {
      moving.push(id);
    }
  }
  return [...counts].flatMap(([point, count]) => {
    const there = staying.get(point) ?? [];
    const standing = [...there, ...moving.splice(0, count - there.length)];
    return standing.map((id, slot) => ({ id, yours, point, slot, count }));
  });
}

/** Gives the middle of a checker on the board. */
export function spotOf({ yours, point, slot, count }: Checker): at.Spot {
  if (point === at.YOUR_BAR) {
    return at.onBar(yours, slot, count);
  }
  if (point === at.OFF) {
    return at.inTray(yours, slot);
  }
  return at.onPoint(yours ? point : 25 - point, slot, count);
}
