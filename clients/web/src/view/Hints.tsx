/** What the engine would do. */

import { CubeVerdict, type EvaluateResponse, type RankedPlay } from "bgbot/v1";
import type { Table } from "../game/table.js";
import { verdictInWords } from "../game/verdicts.js";
import { signed } from "./Chances.js";

export function Hints({ table }: { readonly table: Table }) {
  const { hints, cubeHint, stage } = table.state;
  return (
    <section class="panel hints" aria-labelledby="hints-title">
      <h2 id="hints-title">Hints</h2>
      {hints && stage.name === "moving" ? (
        <Plays plays={hints} table={table} />
      ) : cubeHint && stage.name === "cube" ? (
        <Cube hint={cubeHint} />
      ) : (
        <p class="quiet">Ask for a hint when it is your turn.</p>
      )}
    </section>
  );
}

function Plays({ plays, table }: { readonly plays: readonly RankedPlay[]; readonly table: Table }) {
  return (
    <ol class="plays">
      {plays.map(({ rank, play, equity, loss, probabilities }) => (
        <li key={rank}>
          <button
            type="button"
            title={`Wins ${(100 * (probabilities?.win ?? 0)).toFixed(1)} %`}
            onClick={() => table.act({ kind: "steps", played: play?.steps ?? [] })}
          >
            <span class="notation">{play?.notation}</span>
            <span class="equity">{rank === 1 ? signed(equity) : `−${loss.toFixed(3)}`}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function Cube({ hint }: { readonly hint: EvaluateResponse }) {
  const { noDouble = 0, doubleTake = 0, doublePass = 0, verdict = CubeVerdict.UNSPECIFIED } = hint.cube ?? {};
  const rows = [
    ["No double", noDouble],
    ["Double, take", doubleTake],
    ["Double, pass", doublePass],
  ] as const;
  return (
    <>
      <p class="verdict">{verdictInWords(verdict)}</p>
      <dl class="equities">
        {rows.map(([words, equity]) => (
          <div key={words}>
            <dt>{words}</dt>
            <dd>{signed(equity)}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">Equities of the side that doubles.</p>
    </>
  );
}
