/** Against whom, and for how much. */

import { type Bot, Level } from "bgbot/v1";
import { useEffect, useRef, useState } from "preact/hooks";
import { daemon, inWords } from "../../daemon.js";
import { canSeal } from "../../game/sealed-game.js";
import type { Agreement } from "../../game/state.js";
import { keptMatch } from "../../game/store.js";
import type { DialogsProps } from "../Dialogs.js";
import { Dialog } from "./Dialog.js";

const LENGTHS = [0, 1, 3, 5, 7, 11];
const USUAL: Agreement = { level: Level.MEDIUM, length: 3, crawford: true, jacoby: true, beavers: false };

export function NewDialog({ open, table, word }: DialogsProps) {
  const [bots, setBots] = useState<readonly Bot[]>();
  const [trouble, setTrouble] = useState("");
  const [agreement, agree] = useState<Agreement>(keptMatch()?.agreement ?? USUAL);
  const close = () => open(undefined);
  const load = () => {
    setTrouble("");
    daemon.bots.listBots({}).then(
      (answer) => setBots(answer.bots),
      (thrown) => {
        const { title, explanation } = inWords(thrown);
        setTrouble(`${title}: ${explanation}`);
      },
    );
  };
  useEffect(load, []);
  const play = useRef<HTMLButtonElement>(null);
  useEffect(() => play.current?.focus({ preventScroll: true }), [bots]);
  const chosen = bots?.find(({ level }) => level === agreement.level);
  const begin = (event: Event) => {
    event.preventDefault();
    if (chosen) {
      close();
      void table.begin(agreement, chosen.title, word);
    }
  };
  const change = (some: Partial<Agreement>) => agree({ ...agreement, ...some });
  return (
    <Dialog title="New match" close={close} wide>
      <form onSubmit={begin}>
        <fieldset class="bots">
          <legend>
            Opponent <small>with points won a game</small>
          </legend>
          {bots?.map((bot) => (
            <BotChoice
              key={bot.level}
              bot={bot}
              chosen={bot.level === agreement.level}
              choose={() => change({ level: bot.level })}
            />
          ))}
          {!bots && <p class="quiet bots-away">{trouble || "Asking the daemon…"}</p>}
          <p class="quiet bot-description">{chosen?.description}</p>
        </fieldset>
        <fieldset class="lengths">
          <legend>Points to win</legend>
          {LENGTHS.map((length) => (
            <label key={length}>
              <input
                type="radio"
                name="length"
                checked={agreement.length === length}
                onChange={() => change({ length })}
              />
              <span>{length === 0 ? "Money" : length}</span>
            </label>
          ))}
          <label class="other">
            <span>other</span>
            <input
              type="number"
              min="1"
              max="25"
              aria-label="Another number of points"
              value={LENGTHS.includes(agreement.length) ? "" : agreement.length}
              onInput={({ currentTarget }) =>
                currentTarget.checkValidity() && currentTarget.value && change({ length: Number(currentTarget.value) })
              }
            />
          </label>
        </fieldset>
        <fieldset class="agreements">
          <legend>Rules</legend>
          {agreement.length > 0 ? (
            <Agreed label="Crawford rule" holds={agreement.crawford} change={(crawford) => change({ crawford })} />
          ) : (
            <>
              <Agreed label="Jacoby rule" holds={agreement.jacoby} change={(jacoby) => change({ jacoby })} />
              <Agreed label="Beavers" holds={agreement.beavers} change={(beavers) => change({ beavers })} />
            </>
          )}
        </fieldset>
        {word !== undefined && (
          <p class="quiet">The dice of this page are those of the word “{word}” in its address.</p>
        )}
        <p class="row last">
          {trouble ? (
            <button type="button" class="main" onClick={load}>
              Try again
            </button>
          ) : (
            <button type="submit" class="main" ref={play} disabled={!chosen?.available || !canSeal}>
              Play
            </button>
          )}
        </p>
      </form>
    </Dialog>
  );
}

interface BotChoiceProps {
  readonly bot: Bot;
  readonly chosen: boolean;
  readonly choose: () => void;
}

function BotChoice({ bot, chosen, choose }: BotChoiceProps) {
  const { title, available, unavailableBecause, strength } = bot;
  return (
    <label class="bot" data-available={available}>
      <input type="radio" name="level" checked={chosen} disabled={!available} onChange={choose} />
      <span class="bot-title">{title}</span>
      <span class="bot-strength">
        {available ? strength && strengthInWords(strength.pointsPerGame, strength.opponent) : unavailableBecause}
      </span>
    </label>
  );
}

function strengthInWords(points: number, opponent: Level): string {
  const [first = "", ...rest] = Level[opponent];
  const name = first + rest.join("").toLowerCase();
  return `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(2)} vs. ${name}`;
}

interface AgreedProps {
  readonly label: string;
  readonly holds: boolean;
  readonly change: (holds: boolean) => void;
}

function Agreed({ label, holds, change }: AgreedProps) {
  return (
    <label class="switch">
      <input type="checkbox" checked={holds} onChange={({ currentTarget }) => change(currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
