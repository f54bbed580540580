/** What each decision of a game has cost, judged by the daemon's engine. */

import { positionSource } from "bgbot";
import { CubeAction, Decision, type Depth } from "bgbot/v1";
import { daemon } from "../daemon.js";
import { cube } from "./evaluation.js";
import type { Made } from "./state.js";
import { verdictInWords } from "./verdicts.js";

export interface Judged {
  readonly made: Made;
  /** Place among the decisions of the game, from 0. */
  readonly index: number;
  /** Equity lost against the best, never negative; per unit of the cube, normalised in a match. */
  readonly loss: number;
  /** The best play or cube action. */
  readonly best: string;
  /** Whether it counts as a decision: nobody errs by not doubling where a double is out of the question. */
  readonly close: boolean;
}

export type Size = "fine" | "inexact" | "mistake" | "blunder";

// eXtreme Gammon's limits for what it marks as an error and as a blunder.
const MISTAKE = 0.02;
const BLUNDER = 0.08;
// What the engine's own error can explain.
const FINE = 0.005;
// So near to a double a roll without one is a decision.
const CLOSE = 0.2;
// Decisions asked about at a time, so that a page never fills the daemon's queue.
const AT_ONCE = 4;

export function sizeOf(loss: number): Size {
  return loss >= BLUNDER ? "blunder" : loss >= MISTAKE ? "mistake" : loss >= FINE ? "inexact" : "fine";
}

/** Judges the decisions in which there was a choice; `progress` hears the share that is done. */
export async function judge(
  made: readonly Made[],
  depth: Depth,
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<readonly Judged[]> {
  const open = made
    .map((each, index) => ({ made: each, index }))
    .filter(
      // The engine says what a double is worth, not what a beaver is.
      (each) => !each.made.forced && each.made.decision !== Decision.BEAVER_RESPONSE,
    );
  const judged: Judged[] = [];
  const queue = open.values();
  const work = async () => {
    for (const each of queue) {
      signal.throwIfAborted();
      judged.push({ ...each, ...(await verdictOn(each.made, depth)) });
      progress(judged.length / open.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return judged.sort((one, other) => one.index - other.index);
}

function verdictOn(made: Made, depth: Depth): Promise<Omit<Judged, "made" | "index">> {
  return made.action === undefined ? verdictOnPlay(made, depth) : verdictOnCube(made, made.action, depth);
}

async function verdictOnPlay({ position, match, dice, notation }: Made, depth: Depth) {
  const request = { position: positionSource(position), match, depth, maxPlays: 1, includePlay: notation ?? "" };
  const { plays } = await daemon.evaluation.rankPlays({ ...request, ...(dice && { dice }) });
  const chosen = plays.find(({ included }) => included);
  return { loss: chosen?.loss ?? 0, best: plays[0]?.play?.notation ?? "", close: true };
}

async function verdictOnCube(made: Made, action: CubeAction, depth: Depth) {
  const answer = await cube({ turn: made.who, ...made }, depth);
  const { noDouble = 0, doubleTake = 0, doublePass = 0, verdict = 0 } = answer.cube ?? {};
  const best = verdictInWords(verdict);
  const doubled = Math.min(doubleTake, doublePass);
  if (made.decision === Decision.DOUBLE_OR_ROLL) {
    const chosen = action === CubeAction.DOUBLE ? doubled : noDouble;
    const close = action === CubeAction.DOUBLE || Math.abs(noDouble - doubled) < CLOSE;
    return { loss: Math.max(noDouble, doubled) - chosen, best, close };
  }
  // What the side that was doubled gives away, the doubler gains.
  return { loss: (action === CubeAction.PASS ? doublePass : doubleTake) - doubled, best, close: true };
}
