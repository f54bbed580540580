/** Sealed dice come out to the byte as docs/fair-dice.md says, and every falsification is found. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commitment, deriveRoll, verifyRolls } from "../src/index.js";

const PAGE = readFileSync(new URL("../../../docs/fair-dice.md", import.meta.url), "utf8");
const ROWS = PAGE.split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").slice(1, -1))
  .map((cells) => cells.map((cell) => cell.replaceAll(/[ `]*$|^[ `]*/g, "")));
const GAMES = ROWS.filter((cells) => cells.length === 3) as [string, string, string][];
const ROLLS = ROWS.filter((cells) => cells.length === 5) as [string, string, string, string, string][];
const SEEDS = new Map(GAMES.map(([game, seed]) => [game, bytes(seed)]));

function bytes(hexadecimal: string): Uint8Array {
  return Uint8Array.from(hexadecimal.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function seedOf(game: string): Uint8Array {
  return SEEDS.get(game) ?? expect.unreachable(game);
}

describe("the vectors of the page", () => {
  test("are there", () => {
    expect([GAMES.length, ROLLS.length]).toEqual([2, 11]);
  });

  test.each(GAMES)("%s has its commitment", async (_game, seed, published) => {
    expect(await commitment(bytes(seed))).toEqual(bytes(published));
  });

  test.each(ROLLS)("%s has its roll %s, opening: %s", async (game, index, opening, dice, ties) => {
    const { dice: derived, ties: before } = await deriveRoll(seedOf(game), BigInt(index), opening === "yes");
    expect(derived.join("-")).toBe(dice);
    expect(before.map((tie) => tie.join("-")).join(" ")).toBe(ties);
  });
});

describe("a game's record", async () => {
  const seed = seedOf("Zürich/7");
  const published = await commitment(seed);
  const rolls = await Promise.all(
    Array.from({ length: 5 }, async (_, rollIndex) => {
      const opening = rollIndex === 0 || rollIndex === 3;
      const { dice, ties } = await deriveRoll(seed, rollIndex, opening);
      const faces = ([die1, die2]: readonly [number, number]) => ({ die1, die2 });
      return { rollIndex, opening, dice: faces(dice), ties: ties.map(faces) };
    }),
  );

  test("is valid as it was played, in any order", async () => {
    const verdict = await verifyRolls(seed, published, rolls.toReversed());
    expect(verdict).toEqual({ valid: true, commitmentValid: true, firstWrongIndex: undefined });
  });

  test("is refused under another commitment", async () => {
    const verdict = await verifyRolls(seed, await commitment(published), rolls);
    expect(verdict).toEqual({ valid: false, commitmentValid: false, firstWrongIndex: undefined });
  });

  test.each([
    ["another die", 2, rolls.map((roll) => (roll.rollIndex === 2 ? { ...roll, dice: { die1: 7, die2: 7 } } : roll))],
    ["a tie left out", 3, rolls.map((roll) => ({ ...roll, ties: [] }))],
    ["a roll left out", 1, rolls.filter((roll) => roll.rollIndex !== 1)],
    ["a roll twice", 3, [...rolls, ...rolls.slice(2, 3)]],
  ])("with %s is wrong from roll %i", async (_what, firstWrongIndex, falsified) => {
    expect(await verifyRolls(seed, published, falsified)).toEqual({
      valid: false,
      commitmentValid: true,
      firstWrongIndex,
    });
  });
});
