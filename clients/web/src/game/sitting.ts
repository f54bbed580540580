/** One match at the table, until another takes its place: what it asks, shows and writes down. */

import type { MatchState } from "bgbot/v1";
import { inWords } from "../daemon.js";
import { type Length, wait } from "./pace.js";
import { yourView } from "./sides.js";
import {
  type Action,
  currentGame,
  type Ending,
  type Game,
  type Match,
  type Moment,
  type Shown,
  type Stage,
} from "./state.js";
import type { Table } from "./table.js";
import * as words from "./words.js";

/** Thrown inside a match that another one has replaced. */
export class Abandoned extends Error {}

export class Sitting {
  protected readonly table: Table;
  #abandoned = false;
  #answer: ((action: Action) => void) | undefined;
  #news = "";

  constructor(table: Table) {
    this.table = table;
  }

  abandon(): void {
    this.#abandoned = true;
  }

  /** Gives what you have decided to who waits for it. */
  act(action: Action): void {
    const answer = this.#answer;
    this.#answer = undefined;
    if (answer && action.kind !== "steps") {
      this.busy();
    }
    answer?.(action);
  }

  protected get match(): Match {
    if (!this.table.state.match) {
      throw new Error("nobody plays");
    }
    return this.table.state.match;
  }

  protected get game(): Game {
    return currentGame(this.match);
  }

  /** Writes down the games of the match. */
  protected keep(games: readonly Game[]): void {
    this.table.set({ match: { ...this.match, games } });
  }

  protected change(change: Partial<Game>): void {
    this.keep([...this.match.games.slice(0, -1), { ...this.game, ...change }]);
  }

  protected end(ending: Ending, nextMatch: MatchState): void {
    this.change({ ending, at: { ...this.game.at, match: nextMatch } });
    const { dice: _lifted, ...shown } = this.table.state.shown;
    this.table.set({ shown, hints: undefined, cubeHint: undefined, chances: undefined });
    this.prompt(words.ending(ending, this.match.botTitle));
  }

  protected busy(): void {
    this.table.set({ stage: { name: "busy" } });
  }

  protected see(shown: Shown): void {
    this.table.set({ shown });
  }

  /** Says what the bot has done; it stays in view beside what you may do then. */
  protected tell(news: string): void {
    this.#news = news;
    this.table.say(news);
  }

  protected prompt(what: string): void {
    this.table.say(`${this.#news} ${what}`.trim());
    this.#news = "";
  }

  /** Lets who looks on follow. */
  protected async pause(length: Length): Promise<void> {
    await wait(length);
    this.check();
  }

  /** Waits for you. */
  protected async hear(stage: Stage): Promise<Action> {
    const action = await new Promise<Action>((resolve) => {
      this.#answer = resolve;
      this.table.set({ stage });
    });
    this.check();
    return action;
  }

  /** Asks the daemon; what fails is said plainly, and tried again when you say so. */
  protected async ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        const answer = await question();
        this.check();
        return answer;
      } catch (thrown) {
        this.check();
        const trouble = inWords(thrown);
        const { stage } = this.table.state;
        this.table.say(`${trouble.title}: ${trouble.explanation}`);
        await this.hear({ name: "trouble" });
        this.table.set({ stage, message: "" });
      }
    }
  }

  protected check(): void {
    if (this.#abandoned) {
      throw new Abandoned();
    }
  }
}

/** What lies on the board at a moment. */
export function lying({ position, dice, turn }: Moment): Shown {
  const shown = { position: yourView(position, turn), diceOf: turn, touched: [] };
  if (!dice) {
    return { ...shown, remaining: [] };
  }
  const { die1, die2 } = dice;
  return { ...shown, dice, remaining: die1 === die2 ? [die1, die1, die1, die1] : [die1, die2] };
}
