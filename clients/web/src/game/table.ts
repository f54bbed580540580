/** The table: what is known of it, and the match that is played there. */

import { Course } from "./course.js";
import { freshGame, type Imported } from "./opening.js";
import { Abandoned, lying } from "./sitting.js";
import { type Action, type Agreement, currentGame, type Match, type Stage, type State } from "./state.js";
import { EMPTY_TABLE } from "./store.js";

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

export class Table {
  state: State = EMPTY_TABLE;
  readonly #listeners = new Set<() => void>();
  #course: Course | undefined;

  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Does what you have decided; what fits no question is ignored, and why a cube stays where it is is said. */
  act(action: Action): void {
    const { stage } = this.state;
    if (stage.name === "cube" && action.kind === "cube") {
      const status = stage.actions.find((each) => each.action === action.action);
      if (!status?.allowed) {
        this.say(status?.explanation || "Not now.");
        return;
      }
    }
    if (ANSWERS[stage.name].includes(action.kind)) {
      this.#course?.act(action);
    }
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

  /** Begins a match; an imported position is its first decision. */
  async begin(agreement: Agreement, botTitle: string, word: string | undefined, imported?: Imported): Promise<void> {
    const first = await freshGame(agreement, word, 1, imported);
    await this.resume({ agreement, botTitle, ...(word !== undefined && { word }), games: [first] });
  }

  /** Goes on with a match where it was. */
  async resume(match: Match): Promise<void> {
    this.#course?.abandon();
    this.#course = new Course(this);
    this.set({ ...EMPTY_TABLE, match, shown: lying(currentGame(match).at) });
    try {
      await this.#course.play();
    } catch (thrown) {
      if (!(thrown instanceof Abandoned)) {
        throw thrown;
      }
    }
  }
}
