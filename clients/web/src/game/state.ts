/** What the page knows. All of it is plain and never changed in place. */

import type {
  CubeAction,
  CubeActionStatus,
  Decision,
  Dice,
  EvaluateResponse,
  Level,
  MatchState,
  Position,
  RankedPlay,
  Restriction,
  ResultKind,
  Step,
} from "bgbot/v1";
import type { DiceRecord } from "./sealed-game.js";
import type { Who } from "./sides.js";

/** What was agreed before the first game. */
export interface Agreement {
  readonly level: Level;
  /** Points to win the match; 0: money play. */
  readonly length: number;
  readonly crawford: boolean;
  readonly jacoby: boolean;
  readonly beavers: boolean;
}

/** Where a game stands; position and match are seen by the side whose turn it is. */
export interface Moment {
  readonly turn: Who;
  readonly position: Position;
  readonly match: MatchState;
  readonly decision: Decision;
  readonly dice?: Dice;
}

/** A decision that was made, seen by who made it, to be judged later. */
export interface Made {
  readonly who: Who;
  readonly position: Position;
  readonly match: MatchState;
  readonly decision: Decision;
  /** The roll and the play, when it was one. */
  readonly dice?: Dice;
  readonly notation?: string;
  /** The cube action, when it was one. */
  readonly action?: CubeAction;
  /** Whether there was nothing to choose. */
  readonly forced: boolean;
}

export interface Ending {
  readonly winner: Who;
  readonly kind: ResultKind;
  readonly points: number;
  readonly by: "play" | "pass" | "resignation";
  readonly matchOver: boolean;
}

export interface Game {
  readonly number: number;
  readonly dice: DiceRecord;
  readonly at: Moment;
  readonly made: readonly Made[];
  /** The resignation you refused, which the bot does not offer again. */
  readonly refused?: ResultKind;
  readonly ending?: Ending;
}

/** All that outlives the page. */
export interface Match {
  readonly agreement: Agreement;
  readonly botTitle: string;
  /** The word of `?seed=`, where the page had one. */
  readonly word?: string;
  readonly games: readonly Game[];
}

/** A turn of yours, checker by checker. */
export interface Turn {
  readonly played: readonly Step[];
  readonly current: Position;
  readonly steps: readonly Step[];
  readonly remainingDice: readonly number[];
  readonly complete: boolean;
  readonly restriction: Restriction;
}

/** What the page waits for. */
export type Stage =
  | { readonly name: "nothing" }
  | { readonly name: "busy" }
  | { readonly name: "opening" }
  | { readonly name: "cube"; readonly actions: readonly CubeActionStatus[] }
  | { readonly name: "moving"; readonly turn: Turn }
  | { readonly name: "resignation"; readonly offered: ResultKind }
  | { readonly name: "over"; readonly ending: Ending }
  | { readonly name: "trouble" };

/** What you can do about it. */
export type Action =
  | { readonly kind: "throw" | "done" | "accept" | "refuse" | "next" | "retry" }
  | { readonly kind: "cube"; readonly action: CubeAction }
  | { readonly kind: "steps"; readonly played: readonly Step[] }
  | { readonly kind: "resign"; readonly offered: ResultKind };

/** What lies on the board, seen by you. */
export interface Shown {
  readonly position: Position;
  readonly dice?: Dice;
  readonly diceOf: Who;
  readonly remaining: readonly number[];
  /** Points where the last play of the bot began and ended, in your numbering. */
  readonly touched: readonly number[];
}

export interface State {
  readonly match: Match | undefined;
  readonly stage: Stage;
  readonly shown: Shown;
  /** The last thing said, aloud too. */
  readonly message: string;
  readonly chances: EvaluateResponse | undefined;
  /** Whose view the chances are in. */
  readonly chancesOf: Who;
  readonly hints: readonly RankedPlay[] | undefined;
  readonly cubeHint: EvaluateResponse | undefined;
}

export function currentGame(match: Match): Game {
  const game = match.games.at(-1);
  if (!game) {
    throw new Error("a match has a game from its first moment on");
  }
  return game;
}
