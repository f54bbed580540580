/**
 * The course of a match, from decision to decision, as the daemon's answers lead it.
 *
 * Whatever is to be known of the rules comes from the daemon. Here the sealed dice are thrown, you or the bot
 * are asked, and what was decided is written down.
 */

import { positionSource } from "bgbot";
import {
  type ApplyCubeActionResponse,
  type ApplyPlayResponse,
  CubeAction,
  Decision,
  type Dice,
  GameSide,
  Restriction,
  type ResultKind,
  type Step,
} from "bgbot/v1";
import { daemon } from "../daemon.js";
import * as bot from "./bot.js";
import * as evaluation from "./evaluation.js";
import { freshGame, opened } from "./opening.js";
import { throwNext } from "./sealed-game.js";
import { otherThan, type Who, whoIs, yourMatch, yourView } from "./sides.js";
import { lying, Sitting } from "./sitting.js";
import type { Made, Moment, Turn } from "./state.js";
import { turnAfter } from "./turn.js";
import * as words from "./words.js";

/** A moment at which the dice lie there. */
type Rolled = Moment & { readonly dice: Dice };

export class Course extends Sitting {
  /** Plays to the end of the match. */
  async play(): Promise<void> {
    const { ending: ended } = this.game;
    if (ended) {
      // Left and come back to.
      this.prompt(words.ending(ended, this.match.botTitle));
    }
    for (;;) {
      const { at, ending } = this.game;
      if (ending?.matchOver) {
        this.table.set({ stage: { name: "over", ending } });
        return;
      }
      if (ending) {
        await this.hear({ name: "over", ending });
        await this.#nextGame();
      } else if (at.decision === Decision.OPENING_ROLL) {
        await this.#open();
      } else if (at.decision === Decision.PLAY) {
        await (at.turn === "you" ? this.#yourPlay() : this.#botPlay());
      } else {
        await (at.turn === "you" ? this.#yourCube() : this.#botCube());
      }
    }
  }

  async #nextGame(): Promise<void> {
    const { agreement, word, games } = this.match;
    const { at } = this.game;
    const next = await this.ask(() => freshGame(agreement, word, games.length + 1));
    const match = yourMatch(at.match, at.turn);
    this.keep([...games, { ...next, at: { ...next.at, match } }]);
    this.table.set({ shown: lying(next.at), chances: undefined });
  }

  async #open(): Promise<void> {
    this.prompt(words.beforeOpening(this.game.number));
    await this.hear({ name: "opening" });
    const { match } = this.game.at;
    const [dice, thrown] = await throwNext(this.game.dice, true);
    const at = await this.ask(() => opened(match, thrown));
    this.change({ dice, at });
    this.see(lying(at));
    this.tell(words.opening(thrown, at.turn, this.match.botTitle));
    await this.pause(at.turn === "bot" ? "look" : "step");
  }

  async #yourCube(): Promise<void> {
    const { at } = this.game;
    const { position, match, decision } = at;
    evaluation.refresh(this.table, at);
    // The bot's dice stay while you decide.
    this.see({ ...this.table.state.shown, position });
    const { actions } = await this.ask(() =>
      daemon.rules.listCubeActions({ position: positionSource(position), match, decision }),
    );
    this.prompt(words.yourCube(at, actions, this.match.botTitle));
    const action = await this.hear({ name: "cube", actions });
    if (action.kind === "resign") {
      await this.#resign(action.offered);
    } else if (action.kind === "cube") {
      await this.#applyCube(action.action, actions.filter(({ allowed }) => allowed).length === 1);
    }
  }

  async #botCube(): Promise<void> {
    const { at } = this.game;
    const { position, match, decision } = at;
    this.busy();
    evaluation.refresh(this.table, at);
    if (decision === Decision.DOUBLE_OR_ROLL && (await this.#botResigns())) {
      return;
    }
    const { actions } = await this.ask(() =>
      daemon.rules.listCubeActions({ position: positionSource(position), match, decision }),
    );
    const [first, ...others] = actions.filter(({ allowed }) => allowed);
    const forced = first !== undefined && others.length === 0;
    const action = forced ? first.action : await this.ask(() => bot.chooseCubeAction(this.match.agreement, at));
    await this.#applyCube(action, forced);
  }

  async #applyCube(action: CubeAction, forced: boolean): Promise<void> {
    const { at } = this.game;
    const { position, match, decision, turn } = at;
    const answer = await this.ask(() =>
      daemon.rules.applyCubeAction({ position: positionSource(position), match, decision, action }),
    );
    if (action !== CubeAction.ROLL) {
      const done = words.cubeAction(action, at, this.match.botTitle);
      // A double of the bot is told with the question what you answer.
      this.tell(turn === "bot" && action === CubeAction.DOUBLE ? "" : done);
    }
    this.#follow(answer, { who: turn, position, match, decision, action, forced });
    if (turn === "bot" && action !== CubeAction.ROLL) {
      await this.pause("look");
    }
  }

  async #yourPlay(): Promise<void> {
    const at = await this.#rolled();
    let turn = await this.ask(() => turnAfter(at.position, at.dice, []));
    const forced = turn.complete;
    this.prompt(words.yourTurn(at.dice, turn.restriction));
    for (;;) {
      this.#seeTurn(at, turn);
      const action = await this.hear({ name: "moving", turn });
      if (action.kind === "resign") {
        await this.#resign(action.offered);
        return;
      }
      if (action.kind === "done") {
        break;
      }
      if (action.kind === "steps") {
        turn = await this.#walk(at, turn.played.length, action.played);
        this.table.say(words.stepped(turn));
      }
    }
    await this.#applyPlay(at, turn.played, forced);
  }

  /** Shows steps one by one, from those that lie there already, and gives the turn after the last. */
  async #walk(at: Rolled, lies: number, played: readonly Step[]): Promise<Turn> {
    for (let count = lies + 1; count < played.length; count++) {
      this.#seeTurn(at, await this.ask(() => turnAfter(at.position, at.dice, played.slice(0, count))));
      await this.pause("step");
    }
    return this.ask(() => turnAfter(at.position, at.dice, played));
  }

  async #botPlay(): Promise<void> {
    this.busy();
    if (!this.game.at.dice && (await this.#botResigns())) {
      return;
    }
    const at = await this.#rolled();
    const { agreement, botTitle } = this.match;
    const [play] = await Promise.all([this.ask(() => bot.choosePlay(agreement, at, at.dice)), this.pause("look")]);
    const { steps } = play;
    const touched = steps.flatMap(({ from, to }) =>
      [from, to].filter((point) => point % 25 > 0).map((point) => 25 - point),
    );
    for (let count = 1; count <= steps.length; count++) {
      const turn = await this.ask(() => turnAfter(at.position, at.dice, steps.slice(0, count)));
      this.#seeTurn(at, turn, touched);
      await this.pause("step");
    }
    const { restriction } =
      steps.length > 0 ? { restriction: Restriction.FREE } : await this.ask(() => turnAfter(at.position, at.dice, []));
    this.tell(words.botPlay(botTitle, at.dice, play, restriction));
    await this.#applyPlay(at, steps, steps.length === 0);
    await this.pause(steps.length === 0 ? "look" : "step");
  }

  async #applyPlay(at: Rolled, steps: readonly Step[], forced: boolean): Promise<void> {
    const { position, match, dice, turn, decision } = at;
    const answer = await this.ask(() =>
      daemon.rules.applyPlay({
        position: positionSource(position),
        dice,
        match,
        chosen: { case: "play", value: { steps: [...steps] } },
      }),
    );
    const { play } = answer;
    if (play?.result) {
      this.see({ ...this.table.state.shown, position: yourView(play.result, turn), remaining: [] });
    }
    this.#follow(answer, { who: turn, position, match, decision, dice, notation: play?.notation ?? "", forced });
  }

  /** Throws the dice of a turn unless they lie there already. */
  async #rolled(): Promise<Rolled> {
    const { at, dice: record } = this.game;
    if (!at.dice || !this.table.state.chances) {
      evaluation.refresh(this.table, at);
    }
    if (at.dice) {
      this.see(lying(at));
      return { ...at, dice: at.dice };
    }
    const [dice, { dice: faces }] = await throwNext(record, false);
    this.check();
    const rolled = { ...at, dice: { $typeName: "bgbot.v1.Dice", die1: faces[0], die2: faces[1] } } as const;
    this.change({ dice, at: rolled });
    this.see(lying(rolled));
    return rolled;
  }

  #seeTurn({ dice, turn }: Rolled, { current, remainingDice }: Turn, touched: readonly number[] = []): void {
    this.see({ position: yourView(current, turn), dice, diceOf: turn, remaining: remainingDice, touched });
  }

  async #botResigns(): Promise<boolean> {
    const { at, refused } = this.game;
    const { agreement, botTitle } = this.match;
    const offered = await this.ask(() => bot.offersToLose(agreement, at));
    if (offered === undefined || offered === refused) {
      return false;
    }
    this.table.say(words.botOffersToLose(botTitle, offered));
    const { kind } = await this.hear({ name: "resignation", offered });
    if (kind === "accept") {
      await this.#concede("bot", offered);
      return true;
    }
    this.change({ refused: offered });
    return false;
  }

  async #resign(offered: ResultKind): Promise<void> {
    const { at } = this.game;
    const { agreement, botTitle } = this.match;
    const accepted = await this.ask(() => bot.acceptsYourLoss(agreement, at, offered));
    this.tell(words.answerToYourLoss(botTitle, accepted));
    if (accepted) {
      await this.#concede("you", offered);
    }
  }

  async #concede(loser: Who, kind: ResultKind): Promise<void> {
    const { at } = this.game;
    const winner = otherThan(loser);
    const side = winner === at.turn ? GameSide.PLAYER : GameSide.OPPONENT;
    const answer = await this.ask(() => daemon.rules.scoreGame({ match: at.match, winner: side, kind }));
    const { nextMatch, points, matchOver } = answer;
    this.end({ winner, kind, points, by: "resignation", matchOver }, nextMatch ?? at.match);
  }

  /** Goes where an answer leads; where nobody decides, the view stays that of who has acted. */
  #follow(answer: ApplyPlayResponse | ApplyCubeActionResponse, made: Made): void {
    const { turn } = this.game.at;
    const { outcome, next, nextMatch, nextDecision, nextSide } = answer;
    if (!next || !nextMatch) {
      throw new Error("an answer holds the next decision");
    }
    this.change({ made: [...this.game.made, made] });
    this.table.set({ hints: undefined, cubeHint: undefined });
    if (outcome?.gameOver) {
      const { kind, points, passed, matchOver } = outcome;
      const winner = whoIs(outcome.winner, turn);
      this.end({ winner, kind, points, by: passed ? "pass" : "play", matchOver }, nextMatch);
    } else {
      this.change({ at: { turn: whoIs(nextSide, turn), position: next, match: nextMatch, decision: nextDecision } });
    }
  }
}
