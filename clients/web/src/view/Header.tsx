/** What the page is, and the ways to everything that is not the board. */

import type { State } from "../game/state.js";
import type { Opened } from "./Dialogs.js";
import { Icon } from "./Icon.js";

export function Header({ open, state }: { readonly open: (dialog: Opened) => void; readonly state: State }) {
  const plays = state.match !== undefined;
  return (
    <header>
      <span class="brand">
        <img src="/icon.svg" alt="" width="28" height="28" />
        Backgammon
      </span>
      <nav aria-label="Table">
        <button type="button" onClick={() => open("new")}>
          <Icon name="new" /> <span>New</span>
        </button>
        <button type="button" onClick={() => open("position")}>
          <Icon name="position" /> <span>Position</span>
        </button>
        <button type="button" onClick={() => open("dice")} disabled={!plays}>
          <Icon name="sealed" /> <span>Dice</span>
        </button>
        <button type="button" onClick={() => open("analysis")} disabled={!plays}>
          <Icon name="analysis" /> <span>Analysis</span>
        </button>
        <button type="button" onClick={() => open("settings")}>
          <Icon name="settings" /> <span>Settings</span>
        </button>
      </nav>
    </header>
  );
}
