/** Single keys, for who wants them; they can be switched off. */

import { CubeAction } from "bgbot/v1";
import { hint } from "../game/evaluation.js";
import type { Table } from "../game/table.js";
import type { Opened } from "./Dialogs.js";

/** What each key does, for the page to tell. */
export const KEYS: readonly (readonly [string, string])[] = [
  ["R", "roll, or throw for the opening"],
  ["D", "double"],
  ["U", "undo the last step"],
  ["H", "show hints"],
  ["Arrows", "go from place to place on the board"],
  ["Enter, Space", "take up a checker, lay it down; press a button"],
  ["Escape", "lay the checker down"],
  ["?", "show these keys"],
];

let pointed = false;
document.addEventListener("pointerdown", () => (pointed = true), { capture: true });
document.addEventListener("keydown", () => (pointed = false), { capture: true });

/** Whether a finger or a mouse was used last; who uses keys, or neither, is led to what comes next. */
export function usesPointer(): boolean {
  return pointed;
}

export function shortcut(event: KeyboardEvent, table: Table, open: (dialog: Opened) => void): void {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    (event.target as HTMLElement).matches("input, select, textarea")
  ) {
    return;
  }
  const { stage } = table.state;
  switch (event.key.toLowerCase()) {
    case "r":
      table.act(stage.name === "cube" ? { kind: "cube", action: CubeAction.ROLL } : { kind: "throw" });
      break;
    case "d":
      if (stage.name === "cube") {
        table.act({ kind: "cube", action: CubeAction.DOUBLE });
      }
      break;
    case "u":
      if (stage.name === "moving" && stage.turn.played.length > 0) {
        table.act({ kind: "steps", played: stage.turn.played.slice(0, -1) });
      }
      break;
    case "h":
      void hint(table);
      break;
    case "?":
      open("settings");
      break;
    default:
  }
}
