/** Your chances, as a bar: gammons are darker. */

import type { EvaluateResponse } from "bgbot/v1";
import type { Who } from "../game/sides.js";

const percent = (chance: number) => `${(100 * chance).toFixed(1)} %`;

export function Chances({ chances, of }: { readonly chances: EvaluateResponse | undefined; readonly of: Who }) {
  const seen = chances?.probabilities;
  const win = seen ? (of === "you" ? seen.win : 1 - seen.win) : undefined;
  const gammon = seen ? (of === "you" ? seen.winGammon : seen.loseGammon) : 0;
  const lost = seen ? (of === "you" ? seen.loseGammon : seen.winGammon) : 0;
  const equity = chances && (of === "you" ? chances.cubefulEquity : -chances.cubefulEquity);
  const words =
    win === undefined
      ? "Chances unknown"
      : `You win ${percent(win)}, gammons ${percent(gammon)}; gammons lost ${percent(lost)}`;
  return (
    <div class="chances">
      <div class="chances-bar" role="img" aria-label={words} data-known={win !== undefined}>
        <span class="chances-yours" style={{ "--share": String(win ?? 0.5) }} />
        <span class="chances-gammon" style={{ "--share": String(gammon) }} />
        <span class="chances-lost" style={{ "--share": String(lost) }} />
      </div>
      <p class="chances-words" aria-hidden="true">
        <span>{win === undefined ? "–" : `${percent(win)} wins`}</span>
        <span>{equity === undefined ? "" : `equity ${signed(equity)}`}</span>
      </p>
    </div>
  );
}

export function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
}
