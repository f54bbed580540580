/**
 * The course of a match at the web board, foretold from its word.
 *
 * The page's dice follow from `?seed=`, and both sides decide without chance, so that a match can be known
 * before it is clicked. You are played by EXPERT here, and refuse every resignation.
 */

import { positionSource } from "bgbot";
import type { NodeClient } from "bgbot/node";
import {
  type ApplyCubeActionResponse,
  type ApplyPlayResponse,
  CubeAction,
  Decision,
  GameSide,
  Level,
  type MatchState,
  type Position,
  ResignationAction,
  ResignationDecision,
  Restriction,
  type ResultKind,
  type Step,
} from "bgbot/v1";
import { type DiceRecord, seal, throwNext } from "../../clients/web/src/game/sealed-game.js";

/** What you do, in its order. */
export type Deed =
  | { readonly kind: "throw" | "next" | "refuse" }
  | { readonly kind: "cube"; readonly action: CubeAction }
  | { readonly kind: "play"; readonly steps: readonly Step[]; readonly restriction: Restriction };

/** What happens on the way. */
export interface Course {
  readonly deeds: readonly Deed[];
  readonly events: ReadonlySet<string>;
  /** Yours first. */
  readonly score: readonly [number, number];
  readonly games: number;
}

type Side = "you" | "bot";

interface At {
  readonly turn: Side;
  readonly position: Position;
  readonly match: MatchState;
  readonly decision: Decision;
  readonly dice?: readonly [number, number];
}

const LEVELS = { you: Level.EXPERT, bot: Level.MEDIUM } as const;

/** Plays a whole match of these points with nothing but the daemon's answers. */
export class Foretold {
  readonly #client: NodeClient;
  readonly #word: string;
  readonly #deeds: Deed[] = [];
  readonly #events = new Set<string>();
  #dice: DiceRecord = { seed: "", commitment: "", rolls: [] };
  #refused: ResultKind | undefined;

  constructor(client: NodeClient, word: string) {
    this.#client = client;
    this.#word = word;
  }

  async play(length: number): Promise<Course> {
    let match = (await this.#client.rules.startGame({ match: { length, crawford: 1 } })).match as MatchState;
    match = { ...match, playerScore: 0, opponentScore: 0 };
    for (let game = 1; ; game++) {
      match = await this.#playGame(game, match);
      if (Math.max(match.playerScore, match.opponentScore) >= length) {
        const score = [match.playerScore, match.opponentScore] as const;
        return { deeds: this.#deeds, events: this.#events, score, games: game };
      }
      this.#deeds.push({ kind: "next" });
    }
  }

  /** Plays a game and gives the score after it, seen by you. */
  async #playGame(game: number, match: MatchState): Promise<MatchState> {
    this.#dice = await seal(this.#word, game);
    this.#refused = undefined;
    this.#deeds.push({ kind: "throw" });
    const [die1, die2] = await this.#throw(true);
    const start = await this.#client.rules.startGame({ match, dice: { die1, die2 } });
    let at: At = {
      turn: start.beginner === GameSide.PLAYER ? "you" : "bot",
      position: start.position as Position,
      match: start.match as MatchState,
      decision: start.nextDecision,
      dice: [die1, die2],
    };
    for (;;) {
      const answer = at.decision === Decision.PLAY ? await this.#playRoll(at) : await this.#actOnCube(at);
      const { outcome, next, nextMatch, nextDecision, nextSide } = answer;
      if (outcome?.gameOver) {
        const winner = (outcome.winner === GameSide.PLAYER) === (at.turn === "you") ? "you" : "bot";
        this.#events.add(outcome.passed ? "dropped" : `${winner} ${outcome.kind}`);
        return seenByYou(nextMatch as MatchState, at.turn);
      }
      const turn = nextSide === GameSide.OPPONENT ? other(at.turn) : at.turn;
      at = { turn, position: next as Position, match: nextMatch as MatchState, decision: nextDecision };
    }
  }

  async #throw(opening: boolean): Promise<readonly [number, number]> {
    const [record, thrown] = await throwNext(this.#dice, opening);
    this.#dice = record;
    return thrown.dice;
  }

  async #playRoll(at: At): Promise<ApplyPlayResponse> {
    const { turn, position, match } = at;
    if (turn === "bot" && !at.dice) {
      await this.#hearOffer(at);
    }
    const [die1, die2] = at.dice ?? (await this.#throw(false));
    const request = { position: positionSource(position), dice: { die1, die2 }, match };
    const { restriction } = await this.#client.rules.listLegalPlays({ position: request.position, dice: request.dice });
    const { play } = await this.#client.bots.choosePlay({ ...request, level: LEVELS[turn] });
    const steps = play?.steps ?? [];
    this.#events.add(`${turn} ${Restriction[restriction]}`);
    if (turn === "you") {
      this.#deeds.push({ kind: "play", steps, restriction });
    }
    return this.#client.rules.applyPlay({ ...request, chosen: { case: "play", value: { steps } } });
  }

  async #actOnCube(at: At): Promise<ApplyCubeActionResponse> {
    const { turn, position, match, decision } = at;
    if (turn === "bot" && decision === Decision.DOUBLE_OR_ROLL) {
      await this.#hearOffer(at);
    }
    const request = { position: positionSource(position), match, decision };
    const { actions } = await this.#client.rules.listCubeActions(request);
    const allowed = actions.filter((status) => status.allowed).map((status) => status.action);
    const free = allowed.length > 1;
    const action = free
      ? (await this.#client.bots.chooseCubeAction({ ...request, level: LEVELS[turn] })).action
      : (allowed[0] ?? CubeAction.ROLL);
    if (turn === "you") {
      this.#deeds.push({ kind: "cube", action });
    }
    if (action === CubeAction.TAKE) {
      this.#events.add("taken");
    }
    return this.#client.rules.applyCubeAction({ ...request, action });
  }

  /** Refuses what the bot offers to lose before its roll; it does not offer the same again. */
  async #hearOffer({ position, match }: At): Promise<void> {
    const decision = ResignationDecision.OFFER_OR_PLAY;
    const request = { position: positionSource(position), match, level: LEVELS.bot, decision };
    const { action, offer } = await this.#client.bots.chooseResignation(request);
    if (action === ResignationAction.OFFER && offer !== this.#refused) {
      this.#refused = offer;
      this.#events.add("offered");
      this.#deeds.push({ kind: "refuse" });
    }
  }
}

function other(side: Side): Side {
  return side === "you" ? "bot" : "you";
}

function seenByYou(match: MatchState, seenBy: Side): MatchState {
  const { playerScore, opponentScore } = match;
  return seenBy === "you" ? match : { ...match, playerScore: opponentScore, opponentScore: playerScore };
}
