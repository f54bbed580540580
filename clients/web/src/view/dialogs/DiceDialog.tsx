/** The seal of the dice, and, after the game, its breaking. */

import { type Verdict, verifyRolls } from "bgbot";
import { useEffect, useState } from "preact/hooks";
import { bytes, type DiceRecord } from "../../game/sealed-game.js";
import type { DialogsProps } from "../Dialogs.js";
import { Dialog } from "./Dialog.js";

export function DiceDialog({ open, table }: DialogsProps) {
  const games = table.state.match?.games ?? [];
  const [number, choose] = useState(games.length);
  const game = games[number - 1];
  return (
    <Dialog title="Sealed dice" close={() => open(undefined)}>
      <p>
        Before the first roll this page picks a secret seed and shows its commitment. Every roll follows from the seed
        alone, and the bot is asked only after the roll. When the game is over the seed is shown, and your browser
        recomputes every roll from it.
      </p>
      {games.length > 1 && (
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
        </p>
      )}
      {game && <Seal key={number} dice={game.dice} broken={game.ending !== undefined} />}
    </Dialog>
  );
}

function Seal({ dice, broken }: { readonly dice: DiceRecord; readonly broken: boolean }) {
  const [verdict, setVerdict] = useState<Verdict>();
  useEffect(() => {
    if (broken) {
      void check(dice).then(setVerdict);
    }
  }, [broken, dice]);
  return (
    <>
      <dl class="seal">
        <dt>Commitment, SHA-256 of the seed</dt>
        <dd>
          <code>{dice.commitment}</code>
        </dd>
        <dt>Seed</dt>
        <dd>{broken ? <code class="seed">{dice.seed}</code> : "is shown when the game is over"}</dd>
      </dl>
      <p class="verdict" role="status" data-valid={verdict?.valid}>
        {!broken
          ? `${rolls(dice.rolls.length)} so far.`
          : verdict
            ? inWords(verdict, dice.rolls.length)
            : "Recomputing every roll…"}
      </p>
      <ol class="throws" aria-label="Rolls">
        {dice.rolls.map(({ dice: [die1, die2], ties, opening }, index) => (
          <li key={index} value={index} data-wrong={index === verdict?.firstWrongIndex}>
            {[...ties, [die1, die2]].map((faces) => faces.join("-")).join(" ")}
            {opening && <small> opening</small>}
          </li>
        ))}
      </ol>
    </>
  );
}

function check({ seed, commitment, rolls }: DiceRecord): Promise<Verdict> {
  const recorded = rolls.map(({ dice: [die1, die2], ties, opening }, rollIndex) => ({
    rollIndex,
    opening,
    dice: { die1, die2 },
    ties: ties.map(([tie1, tie2]) => ({ die1: tie1, die2: tie2 })),
  }));
  return verifyRolls(bytes(seed), bytes(commitment), recorded);
}

function rolls(count: number): string {
  return `${count} ${count === 1 ? "roll" : "rolls"}`;
}

function inWords({ valid, commitmentValid, firstWrongIndex }: Verdict, count: number): string {
  if (valid) {
    return `✓ The seed fits the commitment, and ${count === 1 ? "the roll fits" : `all ${count} rolls fit`} the seed.`;
  }
  return commitmentValid
    ? `✗ Roll ${firstWrongIndex} does not fit the seed.`
    : "✗ The seed does not fit the commitment.";
}
