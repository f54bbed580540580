/** Begins: a table, a match that was left, and the page around it. */

import { render } from "preact";
import { apply, keepMatch, keptMatch, keptPreferences } from "./game/store.js";
import { Table } from "./game/table.js";
import "./style/page.css";
import "./style/board.css";
import "./style/panels.css";
import "./style/dialogs.css";
import { App } from "./view/App.js";

const root = document.getElementById("app");
if (!root) {
  throw new Error("the page has a place for the board");
}
const table = new Table();
const word = new URLSearchParams(location.search).get("seed") ?? undefined;
apply(keptPreferences());

let kept = table.state.match;
table.subscribe(() => {
  if (table.state.match !== kept) {
    kept = table.state.match;
    keepMatch(kept);
  }
  render(<App table={table} word={word} />, root);
});

const left = keptMatch();
// A word in the address asks for a match of its own.
if (left && left.word === word) {
  void table.resume(left);
} else {
  table.set({});
}
