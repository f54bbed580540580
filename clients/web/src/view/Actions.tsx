/** What you can do now. */

import { CubeAction, type CubeActionStatus, Decision } from "bgbot/v1";
import { useEffect, useRef } from "preact/hooks";
import { hint } from "../game/evaluation.js";
import { currentGame, type Turn } from "../game/state.js";
import type { Table } from "../game/table.js";
import type { Opened } from "./Dialogs.js";
import { usesPointer } from "./keys.js";

interface ActionsProps {
  readonly table: Table;
  readonly open: (dialog: Opened) => void;
}

export function Actions({ table, open }: ActionsProps) {
  const { stage } = table.state;
  const place = useRef<HTMLDivElement>(null);
  const complete = stage.name === "moving" && stage.turn.complete;
  useEffect(() => keepFocus(place.current, complete), [stage.name, complete]);
  return (
    <div class="actions" ref={place} data-stage={stage.name}>
      {buttons(table, open)}
    </div>
  );
}

/**
 * Gives the focus a place when what had it is gone or can do no more: the main button, else the board.
 *
 * A turn that is complete goes on to its confirmation from the board as well.
 */
function keepFocus(actions: HTMLElement | null, complete: boolean): void {
  if (usesPointer()) {
    return;
  }
  const { activeElement } = document;
  const lost = activeElement === null || activeElement === document.body || activeElement.matches(":disabled");
  const onBoard = activeElement?.matches("[data-point]") ?? false;
  if ((lost || (complete && onBoard)) && document.querySelector("dialog[open]") === null) {
    const main = actions?.querySelector<HTMLElement>(".main:enabled");
    const onward = main ?? document.querySelector<HTMLElement>('[data-point][tabindex="0"]');
    onward?.focus({ preventScroll: true });
  }
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
            Check dice
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
  const { match } = table.state;
  const beavered = match !== undefined && currentGame(match).at.decision === Decision.BEAVER_RESPONSE;
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
            {beavered && action === CubeAction.TAKE ? "Play on" : LABELS[action]}
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
