/** How a game has ended, over the board; the message says the same aloud. */

import type { Ending } from "../game/state.js";
import { KINDS, points } from "../game/words.js";

export function Result({ ending }: { readonly ending: Ending }) {
  const { winner, kind, points: won, by, matchOver } = ending;
  const what = matchOver ? "the match" : by === "pass" ? "by a pass" : `a ${KINDS[kind]}`;
  return (
    <div class={`result of-${winner}`} aria-hidden="true">
      <strong>{winner === "you" ? "You win" : "You lose"}</strong>
      <span>{what}</span>
      <span class="result-points">
        {winner === "you" ? "+" : "−"}
        {points(won)}
      </span>
    </div>
  );
}
