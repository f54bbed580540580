/** The course of the game. */

import { CubeAction } from "bgbot/v1";
import { useEffect, useRef } from "preact/hooks";
import type { Game, Made } from "../game/state.js";

export function History({ game, botTitle }: { readonly game: Game | undefined; readonly botTitle: string }) {
  const list = useRef<HTMLOListElement>(null);
  const shown = game?.made.filter(({ action }) => action !== CubeAction.ROLL) ?? [];
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [shown.length]);
  return (
    <section class="panel history" aria-labelledby="history-title">
      <h2 id="history-title">Game {game?.number ?? ""}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keys */}
      <ol ref={list} tabIndex={0} aria-labelledby="history-title">
        {shown.map((made, index) => (
          <li key={index} class={`of-${made.who}`}>
            <span class={`chip of-${made.who}`} aria-hidden="true" />
            <span class="unseen">{made.who === "you" ? "You" : botTitle}: </span>
            <span class="roll">{made.dice ? `${made.dice.die1}-${made.dice.die2}` : ""}</span>
            <span class="notation">{inWords(made)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const ACTIONS: Partial<Record<CubeAction, string>> = {
  [CubeAction.DOUBLE]: "doubles",
  [CubeAction.TAKE]: "takes",
  [CubeAction.PASS]: "passes",
  [CubeAction.BEAVER]: "beavers",
};

/** Says what was decided. */
export function inWords({ action, notation, match }: Made): string {
  if (action === undefined) {
    return notation ?? "";
  }
  const words = ACTIONS[action] ?? "rolls";
  return action === CubeAction.DOUBLE ? `${words} to ${2 * (match.cube?.value ?? 1)}` : words;
}
