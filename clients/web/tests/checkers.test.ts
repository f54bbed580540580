/** Checkers keep their identity, so that each is seen to go where it went. */

import { create } from "@bufbuild/protobuf";
import { startingPosition } from "bgbot";
import { type Position, PositionSchema } from "bgbot/v1";
import { expect, test } from "vitest";
import { type Checker, placed, spotOf } from "../src/view/checkers.js";
import { BOTTOM, CHECKER, TOP } from "../src/view/geometry.js";

const START = startingPosition();

/** Gives the position after your checkers have gone these ways; a blot that is hit goes to the bar. */
function after(position: Position, ...ways: readonly (readonly [number, number])[]): Position {
  const you = { ...position.player, points: [...(position.player?.points ?? [])], off: position.player?.off ?? 0 };
  for (const [from, to] of ways) {
    you.points[from - 1] = (you.points[from - 1] ?? 0) - 1;
    if (to === 0) {
      you.off += 1;
    } else {
      you.points[to - 1] = (you.points[to - 1] ?? 0) + 1;
    }
  }
  const { points, off } = you;
  return create(PositionSchema, { player: { points, off }, ...(position.opponent && { opponent: position.opponent }) });
}

function moved(before: readonly Checker[], now: readonly Checker[]): string[] {
  const point = (all: readonly Checker[], { id, yours }: Checker) =>
    all.find((checker) => checker.id === id && checker.yours === yours)?.point;
  return now.flatMap((checker) => {
    const from = point(before, checker);
    return from === checker.point ? [] : [`${from}/${checker.point}`];
  });
}

test("thirty checkers stand at the start, fifteen of each side", () => {
  const all = placed(START, []);
  expect([all.length, all.filter(({ yours }) => yours).length]).toEqual([30, 15]);
});

test("only the checkers that were moved move", () => {
  const before = placed(START, []);
  expect(moved(before, placed(after(START, [8, 5], [6, 5]), before))).toEqual(["8/5", "6/5"]);
});

test("the topmost checker of a point is the one that leaves", () => {
  const before = placed(START, []);
  const topmost = before.find(({ yours, point, slot }) => yours && point === 6 && slot === 4);
  const now = placed(after(START, [6, 4]), before);
  expect(now.find(({ yours, id }) => yours && id === topmost?.id)?.point).toBe(4);
});

test("a checker that is borne off lies in the tray", () => {
  const before = placed(START, []);
  expect(moved(before, placed(after(START, [6, 0]), before))).toEqual(["6/0"]);
});

test("a stack of fifteen stays on its half of the board", () => {
  const points = Array.from({ length: 24 }, (_, index) => (index === 5 ? 15 : 0));
  const all = placed(create(PositionSchema, { player: { points }, opponent: { points } }), []);
  const heights = all.map((checker) => spotOf(checker).y);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(TOP + CHECKER / 2);
  expect(Math.max(...heights)).toBeLessThanOrEqual(BOTTOM - CHECKER / 2);
  expect(heights.filter((y) => y > (TOP + BOTTOM) / 2).length).toBe(15);
});
