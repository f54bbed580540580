/** What the decisions of a game have cost. */

import { Decision, Depth } from "bgbot/v1";
import { useEffect, useState } from "preact/hooks";
import { inWords as failureInWords } from "../../daemon.js";
import { type Judged, judge, type Size, sizeOf } from "../../game/analysis.js";
import { type Who, yourMatch } from "../../game/sides.js";
import { lying } from "../../game/sitting.js";
import type { Game, Made } from "../../game/state.js";
import { Board } from "../Board.js";
import type { DialogsProps } from "../Dialogs.js";
import { inWords } from "../History.js";
import { Dialog } from "./Dialog.js";

const DEPTHS = [
  [Depth.PLY2, "Quick"],
  [Depth.PLY3, "Thorough"],
] as const;
const SIZES: readonly Size[] = ["blunder", "mistake", "inexact", "fine"];
// eXtreme Gammon's performance rating: 500 times the equity lost per decision.
const RATING = 500;

export function AnalysisDialog({ open, table }: DialogsProps) {
  const { match } = table.state;
  const games = match?.games ?? [];
  const [number, choose] = useState(games.length);
  const [depth, setDepth] = useState<Depth>(Depth.PLY2);
  const game = games[number - 1];
  const over = game?.ending !== undefined;
  return (
    <Dialog title="Analysis" close={() => open(undefined)} wide>
      <p class="row games">
        {games.map((each) => (
          <button
            key={each.number}
            type="button"
            aria-pressed={each.number === number}
            onClick={() => choose(each.number)}
          >
            Game {each.number}
          </button>
        ))}
        <span class="space" />
        {DEPTHS.map(([value, words]) => (
          <button key={value} type="button" aria-pressed={value === depth} onClick={() => setDepth(value)}>
            {words}
          </button>
        ))}
      </p>
      {game && over ? (
        <Report key={`${number}.${depth}`} game={game} depth={depth} botTitle={match?.botTitle ?? ""} />
      ) : (
        <p class="quiet">The analysis comes when the game is over; hints come sooner.</p>
      )}
    </Dialog>
  );
}

function Report({ game, depth, botTitle }: { readonly game: Game; readonly depth: Depth; readonly botTitle: string }) {
  const [judged, setJudged] = useState<readonly Judged[]>();
  const [share, setShare] = useState(0);
  const [trouble, setTrouble] = useState("");
  const [seen, see] = useState<number>();
  useEffect(() => {
    const leaving = new AbortController();
    judge(game.made, depth, setShare, leaving.signal).then(setJudged, (thrown) => {
      if (!leaving.signal.aborted) {
        const { title, explanation } = failureInWords(thrown);
        setTrouble(`${title}: ${explanation}`);
      }
    });
    return () => leaving.abort();
  }, []);
  if (trouble) {
    return (
      <p class="trouble" role="alert">
        {trouble}
      </p>
    );
  }
  if (!judged) {
    return (
      <p class="quiet">
        <progress value={share} aria-label="Analysis" /> Judging {game.made.length} decisions…
      </p>
    );
  }
  const costly = judged.filter(({ loss }) => sizeOf(loss) !== "fine").toSorted((one, other) => other.loss - one.loss);
  return (
    <>
      <table class="summary">
        <thead>
          <tr>
            <th scope="col">Side</th>
            {SIZES.slice(0, 3).map((size) => (
              <th scope="col" key={size}>
                {PLURALS[size]}
              </th>
            ))}
            <th scope="col">Equity lost</th>
            <th scope="col">
              <abbr title="500 times the equity lost per decision; lower is better">Rating</abbr>
            </th>
          </tr>
        </thead>
        <tbody>
          <Summary who="you" name="You" judged={judged} />
          <Summary who="bot" name={botTitle} judged={judged} />
        </tbody>
      </table>
      {costly.length === 0 && <p class="quiet">Nothing was lost in this game.</p>}
      <ol class="errors">
        {costly.map(({ made, index, loss, best }) => (
          <li key={index} data-size={sizeOf(loss)}>
            <button
              type="button"
              aria-expanded={seen === index}
              onClick={() => see(seen === index ? undefined : index)}
            >
              <span class={`chip of-${made.who}`} aria-hidden="true" />
              <span class="what">
                <span class="unseen">{made.who === "you" ? "You" : botTitle}: </span>
                {made.dice && <b>{`${made.dice.die1}-${made.dice.die2} `}</b>}
                {inWords(made)}
              </span>
              <span class="best">
                <small>best</small> {best}
              </span>
              <span class="loss">
                <span class="unseen">{sizeOf(loss)}, </span>−{loss.toFixed(3)}
              </span>
            </button>
            {seen === index && <Position made={made} />}
          </li>
        ))}
      </ol>
    </>
  );
}

const NOWHERE: ReadonlySet<number> = new Set();
const nothing = () => {};

/** The board at a decision, only to be looked at; what stands where is said by the game's course. */
function Position({ made: { who, position, match, dice } }: { readonly made: Made }) {
  const turn = { turn: who, position, match, decision: Decision.PLAY, ...(dice && { dice }) };
  return (
    <div class="position" inert>
      <Board
        shown={lying(turn)}
        match={yourMatch(match, who)}
        rollKey=""
        sources={NOWHERE}
        selected={undefined}
        landings={NOWHERE}
        mayDouble={false}
        offeredTo={undefined}
        onTouch={nothing}
        onLift={nothing}
        onDrop={nothing}
        onDouble={nothing}
        onCancel={nothing}
      />
    </div>
  );
}

const PLURALS: Readonly<Record<Size, string>> = {
  blunder: "Blunders",
  mistake: "Mistakes",
  inexact: "Inexact",
  fine: "Fine",
};

interface SummaryProps {
  readonly who: Who;
  readonly name: string;
  readonly judged: readonly Judged[];
}

function Summary({ who, name, judged }: SummaryProps) {
  const own = judged.filter(({ made }) => made.who === who);
  const decisions = own.filter(({ close, loss }) => close || loss > 0).length;
  const lost = own.reduce((sum, { loss }) => sum + loss, 0);
  return (
    <tr>
      <th scope="row">{name}</th>
      {SIZES.slice(0, 3).map((size) => (
        <td key={size}>{own.filter(({ loss }) => sizeOf(loss) === size).length}</td>
      ))}
      <td>{lost.toFixed(3)}</td>
      <td>{decisions === 0 ? "–" : ((RATING * lost) / decisions).toFixed(1)}</td>
    </tr>
  );
}
