/** The page: the board, who plays, what can be done, and what can be looked at. */

import { CubeAction, Decision } from "bgbot/v1";
import { useEffect, useState } from "preact/hooks";
import { canSeal } from "../game/sealed-game.js";
import { yourMatch } from "../game/sides.js";
import { currentGame } from "../game/state.js";
import { keptPreferences } from "../game/store.js";
import type { Table } from "../game/table.js";
import { Actions } from "./Actions.js";
import { Board } from "./Board.js";
import { Chances } from "./Chances.js";
import { Dialogs, type Opened } from "./Dialogs.js";
import { Header } from "./Header.js";
import { Hints } from "./Hints.js";
import { History } from "./History.js";
import { shortcut } from "./keys.js";
import { Plates } from "./Plates.js";
import { usePlay } from "./play.js";
import { Result } from "./Result.js";

export interface AppProps {
  readonly table: Table;
  readonly word: string | undefined;
}

export function App({ table, word }: AppProps) {
  const { state } = table;
  const { match, stage, shown } = state;
  const game = match && currentGame(match);
  const [opened, open] = useState<Opened | undefined>(match ? undefined : "new");
  const [preferences, prefer] = useState(keptPreferences);
  const play = usePlay(table);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (preferences.keys && opened === undefined) {
        shortcut(event, table, open);
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [preferences.keys, opened, table]);
  const seen = game && yourMatch(game.at.match, game.at.turn);
  const mayDouble =
    stage.name === "cube" && stage.actions.some(({ action, allowed }) => action === CubeAction.DOUBLE && allowed);
  const offeredTo = game && !game.ending && game.at.decision === Decision.TAKE_OR_PASS ? game.at.turn : undefined;
  const { dice: _lifted, ...withoutDice } = shown;
  const rollKey = `${game?.number}.${game?.dice.rolls.length}.${game?.made.length}`;
  return (
    <>
      <Header open={open} state={state} />
      <main>
        <h1 class="unseen">Backgammon against {match?.botTitle ?? "bgbotd"}</h1>
        <Plates state={state} match={seen} />
        <div class="board-place">
          <Board
            shown={offeredTo ? withoutDice : shown}
            match={seen}
            rollKey={rollKey}
            mayDouble={mayDouble}
            offeredTo={offeredTo}
            onDouble={() => table.act({ kind: "cube", action: CubeAction.DOUBLE })}
            {...play}
          />
          {stage.name === "over" && <Result ending={stage.ending} />}
          {preferences.chances && <Chances chances={state.chances} of={state.chancesOf} />}
        </div>
        <section class="now" aria-label="Your decision">
          <p class="message" data-trouble={stage.name === "trouble"} role="status" aria-live="polite">
            {canSeal ? state.message : "Open this page on https or localhost: browsers seal dice only there."}
          </p>
          <Actions table={table} open={open} />
        </section>
        <div class="aside">
          <Hints table={table} />
          <History game={game} botTitle={match?.botTitle ?? ""} />
        </div>
      </main>
      <Dialogs opened={opened} open={open} table={table} word={word} preferences={preferences} prefer={prefer} />
    </>
  );
}
