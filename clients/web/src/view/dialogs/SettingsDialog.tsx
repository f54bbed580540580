/** How you like the board. */

import { apply, type Preferences } from "../../game/store.js";
import type { DialogsProps } from "../Dialogs.js";
import { KEYS } from "../keys.js";
import { Dialog } from "./Dialog.js";

export function SettingsDialog({ open, table, preferences, prefer }: DialogsProps) {
  const change = (some: Partial<Preferences>) => {
    const next = { ...preferences, ...some };
    apply(next);
    prefer(next);
    table.set({});
  };
  return (
    <Dialog title="Settings" close={() => open(undefined)}>
      <Choice
        name="Appearance"
        options={{ system: "As the system", light: "Light", dark: "Dark" }}
        chosen={preferences.theme}
        choose={(theme) => change({ theme })}
      />
      <Choice
        name="Pace"
        options={{ relaxed: "Relaxed", brisk: "Brisk", instant: "Instant" }}
        chosen={preferences.pace}
        choose={(pace) => change({ pace })}
      />
      <label class="switch">
        <input
          type="checkbox"
          checked={preferences.chances}
          onChange={({ currentTarget }) => change({ chances: currentTarget.checked })}
        />
        <span>Show the chances of winning</span>
      </label>
      <label class="switch">
        <input
          type="checkbox"
          checked={preferences.keys}
          onChange={({ currentTarget }) => change({ keys: currentTarget.checked })}
        />
        <span>Single keys</span>
      </label>
      <dl class="keys" data-on={preferences.keys}>
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

interface ChoiceProps<Option extends string> {
  readonly name: string;
  readonly options: Readonly<Record<Option, string>>;
  readonly chosen: Option;
  readonly choose: (option: Option) => void;
}

function Choice<Option extends string>({ name, options, chosen, choose }: ChoiceProps<Option>) {
  return (
    <fieldset class="choice">
      <legend>{name}</legend>
      {(Object.entries(options) as [Option, string][]).map(([option, words]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === chosen} onChange={() => choose(option)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}
