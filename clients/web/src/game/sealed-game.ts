/** The dice of one game, sealed in this page by the derivation of `DiceService` (docs/fair-dice.md). */

import { commitment, deriveRoll, type SealedRoll } from "bgbot";

/** What is written down of a game's dice; plain, so that it can be kept. */
export interface DiceRecord {
  /** The secret seed, 64 hexadecimal digits; shown only after the game. */
  readonly seed: string;
  /** SHA-256 of the seed, shown before the first roll. */
  readonly commitment: string;
  readonly rolls: readonly RecordedThrow[];
}

export interface RecordedThrow extends SealedRoll {
  readonly opening: boolean;
}

/** Whether this page may use the browser's cryptography, which browsers offer on https and localhost only. */
export const canSeal = globalThis.crypto?.subtle !== undefined;

/**
 * Seals the dice of a game.
 *
 * @param word from the page's `?seed=`, for games that can be repeated: the seed is then the SHA-256 of the
 *   word, a slash and the number of the game within the match, from 1, in UTF-8. Without one it is random.
 */
export async function seal(word: string | undefined, game: number): Promise<DiceRecord> {
  const seed =
    word === undefined
      ? crypto.getRandomValues(new Uint8Array(32))
      : await commitment(new TextEncoder().encode(`${word}/${game}`));
  return { seed: hexadecimal(seed), commitment: hexadecimal(await commitment(seed)), rolls: [] };
}

/** Throws the next roll of a game; nobody has asked for it before. */
export async function throwNext(record: DiceRecord, opening: boolean): Promise<[DiceRecord, RecordedThrow]> {
  const thrown = { ...(await deriveRoll(bytes(record.seed), record.rolls.length, opening)), opening };
  return [{ ...record, rolls: [...record.rolls, thrown] }, thrown];
}

export function hexadecimal(all: Uint8Array): string {
  return Array.from(all, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function bytes(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
