/** What is kept in this browser: the match, so that it survives a reload, and how you like the board. */

import { startingPosition } from "bgbot";
import { type Pace, setPace } from "./pace.js";
import type { Match, State } from "./state.js";

export interface Preferences {
  readonly theme: "system" | "light" | "dark";
  readonly pace: Pace;
  /** Whether the chances of winning are shown during play. */
  readonly chances: boolean;
  /** Whether single keys throw, double, undo and so on. */
  readonly keys: boolean;
}

export const EMPTY_TABLE: State = {
  match: undefined,
  stage: { name: "nothing" },
  shown: { position: startingPosition(), diceOf: "you", remaining: [], touched: [] },
  message: "",
  chances: undefined,
  chancesOf: "you",
  hints: undefined,
  cubeHint: undefined,
};

const DEFAULTS: Preferences = { theme: "system", pace: "brisk", chances: true, keys: true };
// Another form of what is kept gets another name, so that nothing old is misread.
const MATCH = "bgbot.match.1";
const PREFERENCES = "bgbot.preferences.1";

export function keptMatch(): Match | undefined {
  const match = kept<Match>(MATCH);
  // What somebody else has written there is no match.
  return match?.games?.at(-1)?.at?.position ? match : undefined;
}

export function keepMatch(match: Match | undefined): void {
  keep(MATCH, match);
}

export function keptPreferences(): Preferences {
  return { ...DEFAULTS, ...kept<Partial<Preferences>>(PREFERENCES) };
}

/** Lets preferences take effect, and keeps them. */
export function apply(preferences: Preferences): void {
  keep(PREFERENCES, preferences);
  setPace(preferences.pace);
  const { dataset } = document.documentElement;
  dataset.theme = preferences.theme;
  dataset.pace = preferences.pace;
}

function kept<Kept>(name: string): Kept | undefined {
  try {
    const text = localStorage.getItem(name);
    return text === null ? undefined : (JSON.parse(text) as Kept);
  } catch {
    // A browser may forbid storage, and somebody may have written something else there.
    return undefined;
  }
}

function keep(name: string, value: unknown): void {
  try {
    if (value === undefined) {
      localStorage.removeItem(name);
    } else {
      localStorage.setItem(name, JSON.stringify(value));
    }
  } catch {
    // Then the match lasts as long as the page.
  }
}
