/** The board is drawn as the Python client draws it. */

import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { drawBoard, startingPosition } from "../src/index.js";
import { CrawfordState, CubeOwner, DiceSchema, MatchStateSchema, PositionSchema } from "../src/v1.js";

const CENTERED = { value: 1, owner: CubeOwner.CENTERED };

test("the starting position is drawn from the player's side", () => {
  const match = create(MatchStateSchema, { length: 5, playerScore: 2, opponentScore: 1, cube: CENTERED });
  const dice = create(DiceSchema, { die1: 3, die2: 1 });
  expect(drawBoard(startingPosition(), { dice, match, pips: [167, 167] })).toBe(`\
Match to 5
┌─13─14─15─16─17─18─┬───┬─19─20─21─22─23─24─┐  ○ opponent
│  ●           ○    │   │  ○              ● │  167 pips
│  ●           ○    │   │  ○              ● │  score 1
│  ●           ○    │   │  ○                │
│  ●                │   │  ○                │
│  ●                │   │  ○                │
│                   │BAR│                   │  cube 1   roll 3-1
│  ○                │   │  ●                │
│  ○                │   │  ●                │
│  ○           ●    │   │  ●                │
│  ○           ●    │   │  ●              ○ │  score 2
│  ○           ●    │   │  ●              ○ │  167 pips
└─12─11─10──9──8──7─┴───┴──6──5──4──3──2──1─┘  ● player`);
});

test("a tall stack, the bar and borne off checkers are told in numbers", () => {
  const seven = (point: number) => Array.from({ length: 24 }, (_, index) => (index === point - 1 ? 7 : 0));
  const player = { points: seven(1), bar: 2, off: 6 };
  const opponent = { points: seven(6), bar: 8 };
  expect(drawBoard(create(PositionSchema, { player, opponent }), { asciiOnly: true })).toBe(`\
+-13-14-15-16-17-18-+---+-19-20-21-22-23-24-+  O opponent
|                   | 8 |  O                |
|                   | O |  O                |
|                   | O |  O                |
|                   | O |  O                |
|                   | O |  7                |
|                   |BAR|                   |
|                   | X |                 7 |
|                   | X |                 X |
|                   |   |                 X |
|                   |   |                 X |
|                   |   |                 X |  6 off
+-12-11-10--9--8--7-+---+--6--5--4--3--2--1-+  X player`);
});

test("an owned cube stands on its owner's side", () => {
  const lineOfCube = (owner: CubeOwner) => {
    const match = create(MatchStateSchema, { cube: { value: 4, owner } });
    return drawBoard(startingPosition(), { match })
      .split("\n")
      .findIndex((line) => line.endsWith("cube 4"));
  };
  const middle = lineOfCube(CubeOwner.CENTERED);
  expect(lineOfCube(CubeOwner.OPPONENT)).toBe(middle - 1);
  expect(lineOfCube(CubeOwner.PLAYER)).toBe(middle + 1);
});

test.each([
  ["Money game, Jacoby, beavers", { jacoby: true, beavers: true }],
  ["Match to 3, Crawford game", { length: 3, crawford: CrawfordState.CRAWFORD_GAME }],
  ["Match to 3, after Crawford", { length: 3, crawford: CrawfordState.POST_CRAWFORD }],
])("the title reads %s", (title, match) => {
  expect(drawBoard(startingPosition(), { match: create(MatchStateSchema, match) }).split("\n")[0]).toBe(title);
});
