/** What the daemon's engine says about a moment, for who wants to know. */

import { positionSource } from "bgbot";
import { Decision, Depth, type EvaluateResponse, type Position, type RankedPlay } from "bgbot/v1";
import { daemon, inWords } from "../daemon.js";
import { flipped, flippedMatch } from "./sides.js";
import { currentGame, type Moment } from "./state.js";
import { keptPreferences } from "./store.js";
import type { Table } from "./table.js";

// Every roll of one side ahead: some milliseconds, and close enough to look at.
const DEPTH = Depth.PLY2;
const HINTS = 5;

let latest = 0;

/** Shows the chances of the side that is to roll, where they are wanted; play does not wait for them. */
export function refresh(table: Table, { position, match, turn }: Moment): void {
  latest += 1;
  const asked = latest;
  if (!keptPreferences().chances) {
    table.set({ chances: undefined });
    return;
  }
  daemon.evaluation
    .evaluate({ position: positionSource(position), match, depth: DEPTH })
    .then((chances) => asked === latest && table.set({ chances, chancesOf: turn }))
    .catch(() => asked === latest && table.set({ chances: undefined }));
}

/** Shows what is best now: plays of your roll, or the equities of the cube. */
export async function hint(table: Table): Promise<void> {
  const { stage, match } = table.state;
  if (!match || (stage.name !== "moving" && stage.name !== "cube")) {
    return;
  }
  const { at } = currentGame(match);
  if (at.decision === Decision.BEAVER_RESPONSE) {
    // The engine says what a double is worth, not what a beaver is.
    table.say("There are no hints on beavers.");
    return;
  }
  try {
    table.set(stage.name === "moving" ? { hints: await plays(at) } : { cubeHint: await cube(at) });
  } catch (thrown) {
    const { title, explanation } = inWords(thrown);
    table.say(`${title}. ${explanation}`);
  }
}

async function plays({ position, match, dice }: Moment): Promise<readonly RankedPlay[]> {
  const request = { position: positionSource(position), match, depth: DEPTH, maxPlays: HINTS };
  const answer = await daemon.evaluation.rankPlays({ ...request, ...(dice && { dice }) });
  return answer.plays;
}

/** Evaluates a cube decision; whoever decides, the answer is seen by the side that doubles. */
export async function cube({ position, match, decision }: Moment, depth = DEPTH): Promise<EvaluateResponse> {
  const doubles = decision === Decision.DOUBLE_OR_ROLL;
  return daemon.evaluation.evaluate({
    position: positionSource(doubles ? position : flipped(position)),
    match: doubles ? match : flippedMatch(match),
    depth,
  });
}

/** Counts the pips of both sides, yours first; needs no engine. */
export async function countPips(position: Position): Promise<readonly [number, number]> {
  const { playerPips, opponentPips } = await daemon.evaluation.countPips({ position: positionSource(position) });
  return [playerPips, opponentPips];
}
