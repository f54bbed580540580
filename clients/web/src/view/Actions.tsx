/** What you can do now. */

import { CubeAction, type CubeActionStatus } from "bgbot/v1";
import { hint } from "../game/evaluation.js";
import type { Turn } from "../game/state.js";
import type { Table } from "../game/table.js";
import type { Opened } from "./Dialogs.js";

interface ActionsProps {
  readonly table: Table;
  readonly open: (dialog: Opened) => void;
}

export function Actions({ table, open }: ActionsProps) {
  return (
    <div class="actions" data-stage={table.state.stage.name}>
      {buttons(table, open)}
    </div>
  );
}

function buttons(table: Table, open: (dialog: Opened) => void) {
  const { stage, match } = table.state;
  switch (stage.name) {
    case "nothing":
      return (
        <button type="button" class="main" onClick={() => open("new")}>
          New game
        </button>
      );
    case "opening":
      return (
        <button type="button" class="main" onClick={() => table.act({ kind: "throw" })}>
          Throw the dice
        </button>
      );
    case "cube":
      return <CubeButtons actions={stage.actions} table={table} open={open} />;
    case "moving":
      return <TurnButtons turn={stage.turn} table={table} open={open} />;
    case "resignation":
      return (
        <>
          <button type="button" class="main" onClick={() => table.act({ kind: "accept" })}>
            Accept
          </button>
          <button type="button" onClick={() => table.act({ kind: "refuse" })}>
            Play on
          </button>
        </>
      );
    case "over":
      return (
        <>
          <button
            type="button"
            class="main"
            onClick={() => (stage.ending.matchOver ? open("new") : table.act({ kind: "next" }))}
          >
            {stage.ending.matchOver ? "New match" : "Next game"}
          </button>
          <button type="button" onClick={() => open("analysis")}>
            Analyse
          </button>
          <button type="button" onClick={() => open("dice")}>
            Check the dice
          </button>
        </>
      );
    case "trouble":
      return (
        <button type="button" class="main" onClick={() => table.act({ kind: "retry" })}>
          Try again
        </button>
      );
    default:
      return <p class="waiting">{match?.botTitle} is thinking…</p>;
  }
}

const LABELS: Partial<Record<CubeAction, string>> = {
  [CubeAction.ROLL]: "Roll",
  [CubeAction.DOUBLE]: "Double",
  [CubeAction.TAKE]: "Take",
  [CubeAction.PASS]: "Pass",
  [CubeAction.BEAVER]: "Beaver",
};
const MAIN: readonly CubeAction[] = [CubeAction.ROLL, CubeAction.TAKE];

function CubeButtons({ actions, table, open }: ActionsProps & { readonly actions: readonly CubeActionStatus[] }) {
  const shown = actions.filter(({ action, allowed }) => LABELS[action] && (allowed || action === CubeAction.DOUBLE));
  const answers = actions.some(({ action, allowed }) => allowed && action === CubeAction.TAKE);
  const ordered = shown.filter(({ action }) => !(answers && action === CubeAction.DOUBLE));
  return (
    <>
      {ordered
        .toSorted((one, other) => Number(MAIN.includes(other.action)) - Number(MAIN.includes(one.action)))
        .map(({ action, allowed, explanation }) => (
          <button
            key={action}
            type="button"
            class={MAIN.includes(action) ? "main" : ""}
            disabled={!allowed}
            title={explanation}
            onClick={() => table.act({ kind: "cube", action })}
          >
            {LABELS[action]}
          </button>
        ))}
      <button type="button" onClick={() => void hint(table)}>
        Hint
      </button>
      {!answers && (
        <button type="button" onClick={() => open("resign")}>
          Resign
        </button>
      )}
    </>
  );
}

function TurnButtons({ turn, table, open }: ActionsProps & { readonly turn: Turn }) {
  const nothing = turn.complete && turn.played.length === 0;
  return (
    <>
      <button type="button" class="main" disabled={!turn.complete} onClick={() => table.act({ kind: "done" })}>
        {nothing ? "No moves: go on" : "Done"}
      </button>
      <button
        type="button"
        disabled={turn.played.length === 0}
        onClick={() => table.act({ kind: "steps", played: turn.played.slice(0, -1) })}
      >
        Undo
      </button>
      <button type="button" disabled={nothing} onClick={() => void hint(table)}>
        Hint
      </button>
      <button type="button" onClick={() => open("resign")}>
        Resign
      </button>
    </>
  );
}
