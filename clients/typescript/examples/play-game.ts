/**
 * Plays a whole game between two levels, cube included, with nothing but the daemon's answers.
 *
 *     npm run example -- [HOST:PORT]
 *
 * Without an address it takes that of BGBOT_ADDRESS, else 127.0.0.1:50051.
 */

import { randomInt } from "node:crypto";
import { argv, env, exit } from "node:process";
import { BgbotError, drawBoard, positionSource } from "bgbot";
import { connect } from "bgbot/node";
import {
  type ApplyCubeActionResponse,
  type ApplyPlayResponse,
  CubeAction,
  Decision,
  type Dice,
  GameSide,
  Level,
  type MatchState,
  type Position,
  ResultKind,
} from "bgbot/v1";

/** Where the game stands; position and match are seen by the side whose turn it is. */
interface State {
  readonly turn: 0 | 1;
  readonly position: Position | undefined;
  readonly match: MatchState | undefined;
  readonly decision: Decision;
  readonly dice?: Dice | undefined;
}

type Answer = ApplyPlayResponse | ApplyCubeActionResponse;

const LEVELS = [Level.MEDIUM, Level.HARD] as const;
const address = argv[2] ?? env.BGBOT_ADDRESS ?? "127.0.0.1:50051";
const client = connect(address);

async function playGame(): Promise<void> {
  const start = await client.rules.startGame({});
  let state: State = {
    turn: start.beginner === GameSide.PLAYER ? 0 : 1,
    position: start.position,
    match: start.match,
    decision: start.nextDecision,
    dice: start.dice,
  };
  for (;;) {
    const answer = state.decision === Decision.PLAY ? await playRoll(state) : await actOnCube(state);
    if (answer.outcome?.gameOver) {
      const { winner, kind, points, passed } = answer.outcome;
      const name = Level[LEVELS[winner === GameSide.PLAYER ? state.turn : other(state.turn)]];
      console.log(`${name} wins a ${ResultKind[kind].toLowerCase()} game${passed ? " by a pass" : ""}: ${points}`);
      return;
    }
    const turn = answer.nextSide === GameSide.OPPONENT ? other(state.turn) : state.turn;
    state = { turn, position: answer.next, match: answer.nextMatch, decision: answer.nextDecision };
  }
}

/** Throws the dice unless they lie there already, and lets the level choose its play. */
async function playRoll({ turn, position, match, dice }: State): Promise<Answer> {
  const roll = { die1: dice?.die1 ?? randomInt(1, 7), die2: dice?.die2 ?? randomInt(1, 7) };
  const request = { position: positionSource(position), dice: roll, ...(match && { match }) };
  const { play } = await client.bots.choosePlay({ ...request, level: LEVELS[turn] });
  console.log(`${Level[LEVELS[turn]].padEnd(6)} ${roll.die1}-${roll.die2}  ${play?.notation}`);
  const chosen = { case: "notation", value: play?.notation ?? "" } as const;
  const answer = await client.rules.applyPlay({ ...request, chosen });
  if (answer.outcome?.gameOver && answer.play?.result) {
    console.log(drawBoard(answer.play.result));
  }
  return answer;
}

/** Lets the level choose among the cube actions that are allowed. */
async function actOnCube({ turn, position, match, decision }: State): Promise<Answer> {
  const request = { position: positionSource(position), decision, ...(match && { match }) };
  const { actions } = await client.rules.listCubeActions(request);
  const allowed = actions.filter((status) => status.allowed).map((status) => status.action);
  const only = allowed.length === 1 ? allowed[0] : undefined;
  const action = only ?? (await client.bots.chooseCubeAction({ ...request, level: LEVELS[turn] })).action;
  if (action !== CubeAction.ROLL) {
    console.log(`${Level[LEVELS[turn]].padEnd(6)} ${CubeAction[action].toLowerCase()}s`);
  }
  return client.rules.applyCubeAction({ ...request, action });
}

function other(turn: 0 | 1): 0 | 1 {
  return turn === 0 ? 1 : 0;
}

try {
  await playGame();
} catch (error) {
  if (!(error instanceof BgbotError)) {
    throw error;
  }
  console.error(`${address}: ${error.message}`);
  exit(1);
} finally {
  client.close();
}
