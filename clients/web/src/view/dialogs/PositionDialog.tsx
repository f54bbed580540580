/** The position in all notations, and one to be played from. */

import { positionSource } from "bgbot";
import { type ConvertPositionResponse, Level } from "bgbot/v1";
import { useEffect, useState } from "preact/hooks";
import { daemon, inWords } from "../../daemon.js";
import { read } from "../../game/opening.js";
import { currentGame } from "../../game/state.js";
import type { DialogsProps } from "../Dialogs.js";
import { Icon } from "../Icon.js";
import { Dialog } from "./Dialog.js";

export function PositionDialog({ open, table, word }: DialogsProps) {
  const [notations, setNotations] = useState<ConvertPositionResponse>();
  const [given, setGiven] = useState("");
  const [trouble, setTrouble] = useState("");
  const { match } = table.state;
  const botTitle = match?.botTitle ?? "Medium";
  const close = () => open(undefined);
  useEffect(() => {
    const at = match && currentGame(match).at;
    const now = at && { match: at.match, decision: at.decision, ...(at.dice && { dice: at.dice }) };
    daemon.rules.convertPosition({ position: positionSource(at?.position), ...now }).then(setNotations, (thrown) => {
      setTrouble(inWords(thrown).explanation);
    });
  }, []);
  const begin = async (event: Event) => {
    event.preventDefault();
    try {
      const imported = await read(given.trim());
      const level = match?.agreement.level ?? Level.MEDIUM;
      const { length, jacoby, beavers } = imported.match;
      const agreement = { level, length, jacoby, beavers, crawford: true };
      close();
      void table.begin(agreement, botTitle, word, imported);
    } catch (thrown) {
      setTrouble(inWords(thrown).explanation);
    }
  };
  return (
    <Dialog title="Position" close={close}>
      <dl class="notations">
        <Notation name="XGID" text={notations?.xgid} />
        <Notation
          name="GNU Backgammon ID"
          text={notations && `${notations.gnubgPositionId}:${notations.gnubgMatchId}`}
        />
      </dl>
      {notations && notations.lost.length > 0 && (
        <details>
          <summary>What these cannot carry</summary>
          <ul class="quiet">
            {notations.lost.map(({ notation, field, explanation }) => (
              <li key={`${notation}${field}`}>{explanation}</li>
            ))}
          </ul>
        </details>
      )}
      <form onSubmit={begin}>
        <label class="given">
          Play from a position against {botTitle}
          <input
            type="text"
            placeholder="XGID=… or a GNU Backgammon ID"
            autocomplete="off"
            spellcheck={false}
            value={given}
            aria-describedby="given-trouble"
            onInput={({ currentTarget }) => setGiven(currentTarget.value)}
          />
        </label>
        <p id="given-trouble" class="trouble" role="alert">
          {trouble}
        </p>
        <p class="row">
          <button type="submit" class="main" disabled={given.trim() === ""}>
            Play from here
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function Notation({ name, text }: { readonly name: string; readonly text: string | undefined }) {
  const [copied, setCopied] = useState(false);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{text ?? "…"}</code>
        <button
          type="button"
          class="copy"
          aria-label={copied ? `${name} copied` : `Copy ${name}`}
          onClick={() => text && void navigator.clipboard.writeText(text).then(() => setCopied(true))}
        >
          {copied ? "✓" : <Icon name="copy" />}
        </button>
      </dd>
    </div>
  );
}
