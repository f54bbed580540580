/** Sealed dice recomputed with the platform's own cryptography, as docs/fair-dice.md describes to the byte. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RecordedRollSchema } from "./generated/bgbot/v1/dice_service_pb.js";
import type { DiceSchema } from "./generated/bgbot/v1/position_pb.js";

/** Two dice, in the order in which they were thrown. */
export type Faces = readonly [number, number];

/** A roll as the seed gives it. */
export interface SealedRoll {
  readonly dice: Faces;
  /** Equal dice that an opening roll threw before, in their order. */
  readonly ties: readonly Faces[];
}

/** What a check of revealed dice has found. */
export interface Verdict {
  /** Whether the seed fits the commitment and every roll fits the seed. */
  readonly valid: boolean;
  readonly commitmentValid: boolean;
  /** Index of the first roll that does not fit, is missing or is there twice. */
  readonly firstWrongIndex: number | undefined;
}

const LABEL = new TextEncoder().encode("bgbot.v1.dice\0");
// 252 = 42 * 6: the byte values below it give every face equally often.
const FIRST_SKIPPED_BYTE = 252;

/** Gives the commitment to a seed: its SHA-256. */
export async function commitment(seed: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(seed)));
}

/** Derives a roll from the seed, its index within the game, and whether it is an opening roll. */
export async function deriveRoll(seed: Uint8Array, rollIndex: number | bigint, opening: boolean): Promise<SealedRoll> {
  const stream = faces(seed, BigInt(rollIndex));
  const next = async () => (await stream.next()).value as number;
  const ties: Faces[] = [];
  for (;;) {
    const dice: Faces = [await next(), await next()];
    if (!opening || dice[0] !== dice[1]) {
      return { dice, ties };
    }
    ties.push(dice);
  }
}

/** Checks that the seed fits the commitment, and that the rolls are all of a game's, numbered from 0 without a gap. */
export async function verifyRolls(
  seed: Uint8Array,
  published: Uint8Array,
  rolls: readonly MessageInitShape<typeof RecordedRollSchema>[],
): Promise<Verdict> {
  const expected = await commitment(seed);
  const commitmentValid = expected.length === published.length && expected.every((byte, i) => byte === published[i]);
  const inOrder = [...rolls].sort((one, other) => (one.rollIndex ?? 0) - (other.rollIndex ?? 0));
  let firstWrongIndex: number | undefined;
  for (const [index, roll] of inOrder.entries()) {
    const derived = await deriveRoll(seed, index, roll.opening ?? false);
    const said = [...(roll.ties ?? []), roll.dice];
    const fits = (roll.rollIndex ?? 0) === index && sameFaces(said, [...derived.ties, derived.dice]);
    if (!fits) {
      firstWrongIndex = index;
      break;
    }
  }
  return { valid: commitmentValid && firstWrongIndex === undefined, commitmentValid, firstWrongIndex };
}

async function* faces(seed: Uint8Array, rollIndex: bigint): AsyncGenerator<number> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new Uint8Array(seed), hmac, false, ["sign"]);
  const message = new Uint8Array(LABEL.length + 8 + 4);
  message.set(LABEL);
  const counters = new DataView(message.buffer, LABEL.length);
  counters.setBigUint64(0, rollIndex);
  for (let block = 0; ; block++) {
    counters.setUint32(8, block);
    for (const byte of new Uint8Array(await crypto.subtle.sign("HMAC", key, message))) {
      if (byte < FIRST_SKIPPED_BYTE) {
        yield 1 + (byte % 6);
      }
    }
  }
}

function sameFaces(
  said: readonly (MessageInitShape<typeof DiceSchema> | undefined)[],
  derived: readonly Faces[],
): boolean {
  return (
    said.length === derived.length &&
    derived.every(([die1, die2], i) => said[i]?.die1 === die1 && said[i]?.die2 === die2)
  );
}
