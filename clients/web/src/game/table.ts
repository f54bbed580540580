/**
 * The table: it leads a match from decision to decision, as the daemon's answers say.
 *
 * Whatever is to be known of the rules comes from the daemon. The table throws the sealed dice, asks you or
 * the bot, remembers what was decided, and goes on after a reload where it was.
 */

import { positionSource } from "bgbot";
import {
  type ApplyCubeActionResponse,
  type ApplyPlayResponse,
  CubeAction,
  Decision,
  type MatchState,
  type Play,
  type Position,
  Restriction,
} from "bgbot/v1";
import { daemon, inWords, lacksEngine } from "../daemon.js";
import * as bot from "./bot.js";
import * as evaluation from "./evaluation.js";
import { freshGame, type Imported, opened } from "./opening.js";
import { pause } from "./pace.js";
import { throwNext } from "./sealed-game.js";
import { otherThan, type Who, whoIs, yourMatch, yourView } from "./sides.js";
import {
  type Action,
  type Agreement,
  currentGame,
  type Ending,
  type Game,
  type Made,
  type Match,
  type Moment,
  type Shown,
  type Stage,
  type State,
} from "./state.js";
import { EMPTY_TABLE } from "./store.js";
import { turnAfter } from "./turn.js";
import * as words from "./words.js";

const ANSWERS: Readonly<Record<Stage["name"], readonly Action["kind"][]>> = {
  nothing: [],
  busy: [],
  opening: ["throw"],
  cube: ["cube", "resign"],
  moving: ["steps", "done", "resign"],
  resignation: ["accept", "refuse"],
  over: ["next"],
  trouble: ["retry"],
};

/** Thrown inside a match that another one has replaced. */
class Abandoned extends Error {}

export class Table {
  state: State = EMPTY_TABLE;
  readonly #listeners = new Set<() => void>();
  #answer: ((action: Action) => void) | undefined;
  #sitting = 0;
  #news = "";

  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Gives what you have decided to whoever waits for it; what fits no question is ignored. */
  act(action: Action): void {
    if (!ANSWERS[this.state.stage.name].includes(action.kind)) {
      return;
    }
    const answer = this.#answer;
    this.#answer = undefined;
    if (answer && action.kind !== "steps") {
      this.set({ stage: { name: "busy" } });
    }
    answer?.(action);
  }

  /** Changes what is known, and tells everyone. */
  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) {
      listener();
    }
  }

  say(message: string): void {
    this.set({ message });
  }

  /** Says what the bot has done; it stays in view beside what you may do then. */
  #tell(news: string): void {
    this.#news = news;
    this.say(news);
  }

  #prompt(words: string): void {
    this.say(`${this.#news} ${words}`.trim());
    this.#news = "";
  }

  /** Begins a match; an imported position is its first decision. */
  async begin(agreement: Agreement, botTitle: string, word: string | undefined, imported?: Imported): Promise<void> {
    const first = await freshGame(agreement, word, 1, imported);
    await this.resume({ agreement, botTitle, ...(word !== undefined && { word }), games: [first] });
  }

  /** Goes on with a match where it was. */
  async resume(match: Match): Promise<void> {
    this.#sitting += 1;
    const sitting = this.#sitting;
    this.#answer = undefined;
    this.set({ ...EMPTY_TABLE, match, shown: this.#lying(currentGame(match).at) });
    try {
      await this.#play(sitting);
    } catch (thrown) {
      if (!(thrown instanceof Abandoned)) {
        throw thrown;
      }
    }
  }

  get #match(): Match {
    if (!this.state.match) {
      throw new Error("nobody plays");
    }
    return this.state.match;
  }

  get #game(): Game {
    return currentGame(this.#match);
  }

  async #play(sitting: number): Promise<void> {
    for (;;) {
      const { at, ending } = this.#game;
      if (ending) {
        if (ending.matchOver) {
          this.set({ stage: { name: "over", ending } });
          return;
        }
        await this.#wait(sitting, { name: "over", ending });
        await this.#nextGame(sitting);
      } else if (at.decision === Decision.OPENING_ROLL) {
        await this.#open(sitting);
      } else if (at.decision === Decision.PLAY) {
        await (at.turn === "you" ? this.#yourPlay(sitting) : this.#botPlay(sitting));
      } else {
        await (at.turn === "you" ? this.#yourCube(sitting) : this.#botCube(sitting));
      }
    }
  }

  async #nextGame(sitting: number): Promise<void> {
    const { agreement, word, games } = this.#match;
    const { at } = this.#game;
    const next = await this.#asking(sitting, () => freshGame(agreement, word, games.length + 1));
    const match = yourMatch(at.match, at.turn);
    this.#keep([...games, { ...next, at: { ...next.at, match } }]);
    this.set({ shown: this.#lying(next.at), chances: undefined, hints: undefined, cubeHint: undefined });
  }

  async #open(sitting: number): Promise<void> {
    if (this.#game.dice.rolls.length === 0) {
      this.say(words.beforeOpening(this.#game.number));
      await this.#wait(sitting, { name: "opening" });
    }
    const { match } = this.#game.at;
    const [dice, thrown] = await throwNext(this.#game.dice, true);
    const at = await this.#asking(sitting, () => opened(match, thrown));
    this.#change({ dice, at });
    this.#see({ ...this.#lying(at), remaining: thrown.dice });
    this.#tell(words.opening(thrown, at.turn, this.#match.botTitle));
    evaluation.refresh(this, at);
    await pause(at.turn === "bot" ? "look" : "step");
  }

  async #yourCube(sitting: number): Promise<void> {
    const { at } = this.#game;
    const { position, match, decision } = at;
    evaluation.refresh(this, at);
    this.#see({ ...this.state.shown, position: yourView(position, "you") });
    const { actions } = await this.#asking(sitting, () =>
      daemon.rules.listCubeActions({ position: positionSource(position), match, decision }),
    );
    this.#prompt(words.yourCube(at, actions, this.#match.botTitle));
    const action = await this.#wait(sitting, { name: "cube", actions });
    if (action.kind === "resign") {
      await this.#resign(sitting, action.offered);
    } else if (action.kind === "cube") {
      const free = actions.filter(({ allowed }) => allowed).length > 1;
      await this.#applyCube(sitting, action.action, free);
    }
  }

  async #botCube(sitting: number): Promise<void> {
    const { at } = this.#game;
    const { position, match, decision } = at;
    this.set({ stage: { name: "busy" } });
    evaluation.refresh(this, at);
    if (decision === Decision.DOUBLE_OR_ROLL && (await this.#botResigns(sitting))) {
      return;
    }
    const { actions } = await this.#asking(sitting, () =>
      daemon.rules.listCubeActions({ position: positionSource(position), match, decision }),
    );
    const allowed = actions.filter((status) => status.allowed);
    const free = allowed.length > 1;
    const action = free
      ? await this.#asking(sitting, () => this.#botCubeAction(at))
      : (allowed[0]?.action ?? CubeAction.ROLL);
    await this.#applyCube(sitting, action, free);
  }

  /** Asks the bot about the cube; where the daemon has no engine, nobody doubles and every double is taken. */
  async #botCubeAction(at: Moment): Promise<CubeAction> {
    try {
      return await bot.chooseCubeAction(this.#match.agreement, at);
    } catch (thrown) {
      if (!lacksEngine(thrown)) {
        throw thrown;
      }
      return at.decision === Decision.DOUBLE_OR_ROLL ? CubeAction.ROLL : CubeAction.TAKE;
    }
  }

  async #applyCube(sitting: number, action: CubeAction, free: boolean): Promise<void> {
    const { at } = this.#game;
    const { position, match, decision, turn } = at;
    const answer = await this.#asking(sitting, () =>
      daemon.rules.applyCubeAction({ position: positionSource(position), match, decision, action }),
    );
    if (action !== CubeAction.ROLL) {
      const done = words.cubeAction(action, at, this.#match.botTitle);
      // A double of the bot is told with the question what you answer.
      this.#tell(turn === "bot" && action === CubeAction.DOUBLE ? "" : done);
    }
    this.#follow(answer, { who: turn, position, match, decision, action, forced: !free });
    if (turn === "bot" && action !== CubeAction.ROLL) {
      await pause("look");
    }
  }

  async #yourPlay(sitting: number): Promise<void> {
    const { dice, position } = await this.#thrown(sitting);
    const { at } = this.#game;
    let turn = await this.#asking(sitting, () => turnAfter(position, dice, []));
    const { restriction } = turn;
    const stuck = turn.complete;
    this.#prompt(words.yourTurn(dice, restriction));
    for (;;) {
      const { current, remainingDice } = turn;
      this.#see({ position: current, dice, diceOf: "you", remaining: remainingDice, touched: [] });
      const action = await this.#wait(sitting, { name: "moving", turn });
      if (action.kind === "resign") {
        await this.#resign(sitting, action.offered);
        return;
      }
      if (action.kind === "done") {
        break;
      }
      if (action.kind === "steps") {
        turn = await this.#walk(sitting, position, dice, turn.played.length, action.played);
        this.say(words.stepped(turn));
      }
    }
    const play = { steps: [...turn.played] };
    const answer = await this.#asking(sitting, () =>
      daemon.rules.applyPlay({
        position: positionSource(position),
        dice,
        match: at.match,
        chosen: { case: "play", value: play },
      }),
    );
    this.set({ hints: undefined });
    this.#follow(answer, {
      who: "you",
      position,
      match: at.match,
      decision: Decision.PLAY,
      dice,
      notation: answer.play?.notation ?? "",
      forced: stuck,
    });
  }

  /** Shows steps one by one, from those that lie there already, and gives the turn after the last. */
  async #walk(
    sitting: number,
    position: Position,
    dice: NonNullable<Moment["dice"]>,
    lying: number,
    played: Play["steps"] | readonly Play["steps"][number][],
  ) {
    for (let count = lying + 1; count < played.length; count++) {
      const { current, remainingDice } = await this.#asking(sitting, () =>
        turnAfter(position, dice, played.slice(0, count)),
      );
      this.#see({ position: current, dice, diceOf: "you", remaining: remainingDice, touched: [] });
      await pause("step");
    }
    return this.#asking(sitting, () => turnAfter(position, dice, played));
  }

  async #botPlay(sitting: number): Promise<void> {
    this.set({ stage: { name: "busy" } });
    if (!this.#game.at.dice && (await this.#botResigns(sitting))) {
      return;
    }
    const { dice, position } = await this.#thrown(sitting);
    const { at } = this.#game;
    const { agreement, botTitle } = this.#match;
    const [play] = await Promise.all([this.#asking(sitting, () => bot.choosePlay(agreement, at, dice)), pause("look")]);
    const prefixes = play.steps.map((_, count) => play.steps.slice(0, count + 1));
    const turns = await this.#asking(sitting, () =>
      Promise.all([...(prefixes.length === 0 ? [[]] : prefixes)].map((played) => turnAfter(position, dice, played))),
    );
    const touched = play.steps.flatMap(({ from, to }) => [from, to]).map((point) => 25 - point);
    for (const { current, remainingDice } of turns) {
      const shown = { position: yourView(current, "bot"), dice, diceOf: "bot" as const, remaining: remainingDice };
      this.#see({ ...shown, touched });
      await pause("step");
    }
    this.#tell(words.botPlay(botTitle, dice, play, turns[0]?.restriction ?? Restriction.FREE));
    const answer = await this.#asking(sitting, () =>
      daemon.rules.applyPlay({
        position: positionSource(position),
        dice,
        match: at.match,
        chosen: { case: "play", value: play },
      }),
    );
    const forced = play.steps.length === 0;
    const made = { who: "bot" as const, position, match: at.match, decision: Decision.PLAY, dice, forced };
    this.#follow(answer, { ...made, notation: play.notation }, touched);
    await pause(forced ? "look" : "step");
  }

  /** Throws the dice of a turn unless they lie there already. */
  async #thrown(sitting: number): Promise<{ dice: NonNullable<Moment["dice"]>; position: Position }> {
    const { at, dice: record } = this.#game;
    if (!this.state.chances || !at.dice) {
      evaluation.refresh(this, at);
    }
    if (!at.dice) {
      const [dice, thrown] = await throwNext(record, false);
      this.#check(sitting);
      const [die1, die2] = thrown.dice;
      this.#change({ dice, at: { ...at, dice: { $typeName: "bgbot.v1.Dice", die1, die2 } } });
    }
    const moment = this.#game.at;
    if (!moment.dice) {
      throw new Error("dice were thrown");
    }
    const { die1, die2 } = moment.dice;
    const remaining = die1 === die2 ? [die1, die1, die1, die1] : [die1, die2];
    this.#see({ ...this.#lying(moment), remaining });
    return { dice: moment.dice, position: moment.position };
  }

  async #botResigns(sitting: number): Promise<boolean> {
    const { at, refused } = this.#game;
    const offered = await this.#asking(sitting, async () => {
      try {
        return await bot.offersToLose(this.#match.agreement, at);
      } catch (thrown) {
        if (!lacksEngine(thrown)) {
          throw thrown;
        }
        return undefined;
      }
    });
    if (offered === undefined || offered === refused) {
      return false;
    }
    this.say(words.botOffersToLose(this.#match.botTitle, offered));
    const { kind } = await this.#wait(sitting, { name: "resignation", offered });
    if (kind === "accept") {
      await this.#concede(sitting, "bot", offered);
      return true;
    }
    this.#change({ refused: offered });
    this.set({ stage: { name: "busy" } });
    return false;
  }

  async #resign(sitting: number, offered: Ending["kind"]): Promise<void> {
    const { at } = this.#game;
    this.set({ stage: { name: "busy" } });
    const accepted = await this.#asking(sitting, async () => {
      try {
        return await bot.acceptsYourLoss(this.#match.agreement, at, offered);
      } catch (thrown) {
        if (!lacksEngine(thrown)) {
          throw thrown;
        }
        return true;
      }
    });
    this.#tell(words.answerToYourLoss(this.#match.botTitle, accepted));
    if (accepted) {
      await this.#concede(sitting, "you", offered);
    } else {
      await pause("look");
    }
  }

  async #concede(sitting: number, loser: Who, kind: Ending["kind"]): Promise<void> {
    const { at } = this.#game;
    const winner = otherThan(loser);
    const answer = await this.#asking(sitting, () =>
      daemon.rules.scoreGame({ match: at.match, winner: winner === at.turn ? 1 : 2, kind }),
    );
    const { nextMatch, points, matchOver } = answer;
    this.#end({ winner, kind, points, by: "resignation", matchOver }, nextMatch ?? at.match);
  }

  /** Goes where an answer leads; where nobody decides, the view stays that of who has acted. */
  #follow(answer: ApplyPlayResponse | ApplyCubeActionResponse, made: Made, touched: readonly number[] = []): void {
    const { turn } = this.#game.at;
    const { outcome, next, nextMatch, nextDecision, nextSide } = answer;
    this.#change({ made: [...this.#game.made, made] });
    if (!next || !nextMatch) {
      throw new Error("an answer holds the next decision");
    }
    if (outcome?.gameOver) {
      const by = outcome.passed ? "pass" : "play";
      const winner = whoIs(outcome.winner, turn);
      const { kind, points, matchOver } = outcome;
      if ("play" in answer && answer.play?.result) {
        this.#see({ ...this.state.shown, position: yourView(answer.play.result, turn), remaining: [] });
      }
      this.#end({ winner, kind, points, by, matchOver }, nextMatch);
      return;
    }
    const at = { turn: whoIs(nextSide, turn), position: next, match: nextMatch, decision: nextDecision };
    this.#change({ at });
    this.set({ cubeHint: undefined, stage: { name: "busy" } });
    if ("play" in answer) {
      this.#see({ ...this.state.shown, position: yourView(next, at.turn), touched });
    }
  }

  #end(ending: Ending, nextMatch: MatchState): void {
    const { at } = this.#game;
    this.#change({ ending, at: { ...at, match: nextMatch } });
    const { dice: _lifted, ...shown } = this.state.shown;
    this.set({ shown, hints: undefined, cubeHint: undefined, chances: undefined });
    this.#prompt(words.ending(ending, this.#match.botTitle));
  }

  #lying({ position, dice, turn }: Moment): Shown {
    const shown = { position: yourView(position, turn), diceOf: turn, touched: [] };
    return dice ? { ...shown, dice, remaining: [dice.die1, dice.die2] } : { ...shown, remaining: [] };
  }

  #see(shown: Shown): void {
    this.set({ shown });
  }

  #change(change: Partial<Game>): void {
    const { games } = this.#match;
    this.#keep([...games.slice(0, -1), { ...this.#game, ...change }]);
  }

  #keep(games: readonly Game[]): void {
    this.set({ match: { ...this.#match, games } });
  }

  #check(sitting: number): void {
    if (sitting !== this.#sitting) {
      throw new Abandoned();
    }
  }

  /** Waits for you. */
  async #wait(sitting: number, stage: Stage): Promise<Action> {
    const action = await new Promise<Action>((resolve) => {
      this.#answer = resolve;
      this.set({ stage });
    });
    this.#check(sitting);
    return action;
  }

  /** Asks the daemon; what fails is said plainly, and tried again when you say so. */
  async #asking<Answer>(sitting: number, question: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        const answer = await question();
        this.#check(sitting);
        return answer;
      } catch (thrown) {
        this.#check(sitting);
        const trouble = inWords(thrown);
        const { stage } = this.state;
        this.say(`${trouble.title}. ${trouble.explanation}`);
        await this.#wait(sitting, { name: "trouble", ...trouble });
        this.set({ stage, message: "" });
      }
    }
  }
}
