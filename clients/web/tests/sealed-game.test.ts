/** The page's dice follow from their seal alone. */

import { createHash } from "node:crypto";
import { deriveRoll } from "bgbot";
import { expect, test } from "vitest";
import { bytes, hexadecimal, seal, throwNext } from "../src/game/sealed-game.js";

const sha256 = (what: string | Uint8Array) => createHash("sha256").update(what).digest("hex");

test("a word gives every game of a match a seed of its own", async () => {
  const [first, second] = [await seal("a word", 1), await seal("a word", 2)];
  expect([first.seed, second.seed]).toEqual([sha256("a word/1"), sha256("a word/2")]);
});

test("without a word no two seeds are the same", async () => {
  expect((await seal(undefined, 1)).seed).not.toBe((await seal(undefined, 1)).seed);
});

test("the commitment is the SHA-256 of the seed", async () => {
  const { seed, commitment } = await seal("a word", 1);
  expect(commitment).toBe(sha256(bytes(seed)));
});

test("rolls are numbered from 0 without a gap, the opening among them", async () => {
  const sealed = await seal("a word", 1);
  const [once, opening] = await throwNext(sealed, true);
  const [twice, roll] = await throwNext(once, false);
  const seed = bytes(sealed.seed);
  expect(opening).toEqual({ ...(await deriveRoll(seed, 0, true)), opening: true });
  expect(roll).toEqual({ ...(await deriveRoll(seed, 1, false)), opening: false });
  expect(twice.rolls).toEqual([opening, roll]);
});

test("hexadecimal digits come back as the bytes they were", () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect(bytes(hexadecimal(all))).toEqual(all);
});
