/** Who plays whom: names, pips, scores. */

import { CrawfordState, type MatchState, type Side } from "bgbot/v1";
import { useEffect, useState } from "preact/hooks";
import { countPips } from "../game/evaluation.js";
import type { State } from "../game/state.js";
import { currentGame } from "../game/state.js";

export function Plates({ state, match }: { readonly state: State; readonly match: MatchState | undefined }) {
  const { position } = state.shown;
  const [pips, setPips] = useState<readonly [number, number]>();
  useEffect(() => {
    let wanted = true;
    countPips(position).then(
      (counted) => wanted && setPips(counted),
      () => wanted && setPips(undefined),
    );
    return () => {
      wanted = false;
    };
  }, [position]);
  const game = state.match && currentGame(state.match);
  const turn = game?.ending ? undefined : game?.at.turn;
  const title = state.match?.botTitle ?? "bgbotd";
  return (
    <section class="plates" aria-label="Score">
      <Plate
        who="bot"
        name={title}
        side={position.opponent}
        pips={pips?.[1]}
        score={match?.opponentScore}
        acts={turn === "bot"}
        thinks={state.stage.name === "busy"}
      />
      <p class="agreed">
        {match ? agreed(match) : "No game yet"}
        {game && ` · sealed ${game.dice.commitment.slice(0, 8)}…`}
      </p>
      <Plate
        who="you"
        name="You"
        side={position.player}
        pips={pips?.[0]}
        score={match?.playerScore}
        acts={turn === "you"}
      />
    </section>
  );
}

interface PlateProps {
  readonly who: "you" | "bot";
  readonly name: string;
  readonly side: Side | undefined;
  readonly pips: number | undefined;
  readonly score: number | undefined;
  readonly acts: boolean;
  readonly thinks?: boolean;
}

function Plate({ who, name, side, pips, score, acts, thinks }: PlateProps) {
  return (
    <div class={`plate of-${who}`} data-acts={acts} data-thinks={acts && thinks}>
      <span class={`chip of-${who}`} aria-hidden="true" />
      <span class="name">
        {name}
        {acts && <span class="unseen"> to decide</span>}
      </span>
      <span class="pips">
        {pips ?? "–"} <small>pips</small>
        {side !== undefined && side.off > 0 && <small> · {side.off} off</small>}
      </span>
      <span class="score">
        <span class="unseen">Score </span>
        {score ?? 0}
      </span>
    </div>
  );
}

/** Names the match and its agreements. */
function agreed({ length, jacoby, beavers, crawford }: MatchState): string {
  const kind = length > 0 ? `Match to ${length}` : "Money game";
  const isCrawford = crawford === CrawfordState.CRAWFORD_GAME && length > 1;
  return [kind, jacoby && "Jacoby", beavers && "beavers", isCrawford && "Crawford game"].filter(Boolean).join(" · ");
}
