/** What is said at the table is right English about the right thing. */

import { create } from "@bufbuild/protobuf";
import { startingPosition } from "bgbot";
import { CubeAction, CubeOwner, Decision, DiceSchema, MatchStateSchema, Restriction, ResultKind } from "bgbot/v1";
import { expect, test } from "vitest";
import type { Who } from "../src/game/sides.js";
import * as words from "../src/game/words.js";

const SIX_ONE = create(DiceSchema, { die1: 1, die2: 6 });

test.each([
  [Restriction.FREE, "You rolled 1-6."],
  [Restriction.LARGER_DIE_FORCED, "You rolled 1-6. Use the 6!"],
  [Restriction.DANCE, "You rolled 1-6. No moves: you stay on the bar."],
  [Restriction.BLOCKED, "You rolled 1-6. No moves."],
])("restriction %i", (restriction, said) => {
  expect(words.yourTurn(SIX_ONE, restriction)).toBe(said);
});

test.each<[Who, CubeAction, string]>([
  ["you", CubeAction.DOUBLE, "You double to 4."],
  ["bot", CubeAction.DOUBLE, "Hard doubles to 4."],
  ["you", CubeAction.PASS, "You pass."],
  ["bot", CubeAction.PASS, "Hard passes."],
  ["bot", CubeAction.BEAVER, "Hard beavers."],
])("%s and cube action %i", (turn, action, said) => {
  const match = create(MatchStateSchema, { cube: { value: 2, owner: CubeOwner.PLAYER } });
  const at = { turn, position: startingPosition(), match, decision: Decision.DOUBLE_OR_ROLL };
  expect(words.cubeAction(action, at, "Hard")).toBe(said);
});

test.each([
  [{ winner: "you", kind: ResultKind.GAMMON, points: 4, by: "play", matchOver: true }, "You win a gammon: 4 points."],
  [
    { winner: "bot", kind: ResultKind.SINGLE, points: 1, by: "pass", matchOver: false },
    "Hard wins by a pass: 1 point.",
  ],
  [
    { winner: "you", kind: ResultKind.BACKGAMMON, points: 3, by: "resignation", matchOver: false },
    "You win a backgammon by resignation: 3 points.",
  ],
] as const)("an ending %#", (ending, said) => {
  expect(words.ending(ending, "Hard")).toBe(said);
});
