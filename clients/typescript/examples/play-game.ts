/**
 * Plays one game of a match to 5 against MEDIUM, with nothing but the daemon's answers.
 *
 *     npm run example -- [HOST:PORT] [--boards]
 *
 * Without an address it takes that of BGBOT_ADDRESS, else 127.0.0.1:50051. You choose any legal play, never
 * double and take every double: put your own choice in the places marked "your choice".
 */

import { randomInt } from "node:crypto";
import { argv, env } from "node:process";
import { create } from "@bufbuild/protobuf";
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
  type Outcome,
  type Position,
  PositionSchema,
  ResultKind,
} from "bgbot/v1";

/** Where the game stands; position and match are seen by the side whose turn it is. */
interface State {
  readonly yourTurn: boolean;
  readonly position: Position;
  readonly match: MatchState;
  readonly decision: Decision;
  readonly dice?: Dice | undefined;
}

type Answer = ApplyPlayResponse | ApplyCubeActionResponse;

const LENGTH = 5;
const LEVEL = Level.MEDIUM;
const BOT = Level[LEVEL];
const RESULTS: Partial<Record<ResultKind, string>> = {
  [ResultKind.SINGLE]: "a single game",
  [ResultKind.GAMMON]: "a gammon",
  [ResultKind.BACKGAMMON]: "a backgammon",
};

const address = argv.slice(2).find((word) => !word.startsWith("--")) ?? env.BGBOT_ADDRESS ?? "127.0.0.1:50051";
const allBoards = argv.includes("--boards");
const client = connect(address);

/** Carries position and score from each answer to the next request until the game is over. */
async function play(): Promise<void> {
  const start = await client.rules.startGame({ match: { length: LENGTH } });
  let state: State = {
    yourTurn: start.beginner === GameSide.PLAYER,
    position: given(start.position),
    match: given(start.match),
    decision: start.nextDecision,
    dice: start.dice,
  };
  draw(state.position, state.yourTurn);
  for (;;) {
    const answer: Answer = state.decision === Decision.PLAY ? await playRoll(state) : await actOnCube(state);
    if (answer.outcome?.gameOver) {
      await score(state, answer.outcome);
      return;
    }
    state = {
      yourTurn: state.yourTurn === (answer.nextSide !== GameSide.OPPONENT),
      position: given(answer.next),
      match: given(answer.nextMatch),
      decision: answer.nextDecision,
    };
  }
}

/** Throws the dice unless they lie there already, and plays them. */
async function playRoll({ yourTurn, position, match, dice }: State): Promise<Answer> {
  const { die1, die2 } = dice ?? { die1: randomInt(1, 7), die2: randomInt(1, 7) };
  const turn = { position: positionSource(position), dice: { die1, die2 } };
  let chosen = (await client.rules.listLegalPlays(turn)).plays;
  if (!yourTurn) {
    chosen = [given((await client.bots.choosePlay({ ...turn, match, level: LEVEL })).play)];
  }
  const value = given(chosen[randomInt(chosen.length)]); // your choice
  const answer = await client.rules.applyPlay({ ...turn, match, chosen: { case: "play", value } });
  console.log(`${name(yourTurn).padEnd(6)}  ${die1}-${die2}  ${answer.play?.notation}`);
  if (allBoards || answer.outcome?.gameOver) {
    draw(given(answer.play?.result), yourTurn);
  }
  return answer;
}

/** Lets the side whose turn it is double or roll, take or pass. */
async function actOnCube({ yourTurn, position, match, decision }: State): Promise<Answer> {
  const turn = { position: positionSource(position), match, decision };
  let action = decision === Decision.TAKE_OR_PASS ? CubeAction.TAKE : CubeAction.ROLL; // your choice
  if (!yourTurn) {
    action = (await client.bots.chooseCubeAction({ ...turn, level: LEVEL })).action;
  }
  const answer = await client.rules.applyCubeAction({ ...turn, action });
  const said: Partial<Record<CubeAction, string>> = {
    [CubeAction.DOUBLE]: `doubles to ${2 * (match.cube?.value ?? 1)}`,
    [CubeAction.TAKE]: "takes",
    [CubeAction.PASS]: "passes",
  };
  if (said[action]) {
    console.log(`${name(yourTurn).padEnd(6)}  ${said[action]}`);
  }
  return answer;
}

/** Says who has won what, with the score as it stands after it. */
async function score({ yourTurn, match }: State, { winner, kind }: Outcome): Promise<void> {
  const { nextMatch, points } = await client.rules.scoreGame({ match, winner, kind });
  const { playerScore, opponentScore } = given(nextMatch);
  const [yours, others] = yourTurn ? [playerScore, opponentScore] : [opponentScore, playerScore];
  const winnerName = name((winner === GameSide.PLAYER) === yourTurn);
  const scores = `score: you ${yours}, ${BOT} ${others}, match to ${LENGTH}`;
  console.log(`${winnerName} won ${RESULTS[kind]}, points: ${points}, ${scores}`);
}

/** Shows a position, seen by the side whose turn it is, as you see it. */
function draw({ player, opponent }: Position, yourTurn: boolean): void {
  const [you, other] = yourTurn ? [player, opponent] : [opponent, player];
  console.log(drawBoard(create(PositionSchema, { player: given(you), opponent: given(other) })));
}

function name(you: boolean): string {
  return you ? "you" : BOT;
}

/** Takes what the contract promises to be there. */
function given<Value>(value: Value | undefined): Value {
  if (value === undefined) {
    throw new Error("the answer lacks what the contract promises");
  }
  return value;
}

try {
  await play();
} catch (error) {
  if (!(error instanceof BgbotError)) {
    throw error;
  }
  console.error(`${error.message} (from ${address})`);
  process.exitCode = 1;
} finally {
  client.close();
}
