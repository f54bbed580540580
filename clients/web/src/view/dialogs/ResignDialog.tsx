/** How much you offer to lose. */

import { ResultKind } from "bgbot/v1";
import { KINDS } from "../../game/words.js";
import type { DialogsProps } from "../Dialogs.js";
import { Dialog } from "./Dialog.js";

const OFFERS = [ResultKind.SINGLE, ResultKind.GAMMON, ResultKind.BACKGAMMON];

export function ResignDialog({ open, table }: DialogsProps) {
  const close = () => open(undefined);
  return (
    <Dialog title="Resign" close={close}>
      <p>{table.state.match?.botTitle} accepts what is at least as good for it as playing on.</p>
      <p class="row">
        {OFFERS.map((offered) => (
          <button
            key={offered}
            type="button"
            onClick={() => {
              close();
              table.act({ kind: "resign", offered });
            }}
          >
            Lose a {KINDS[offered]}
          </button>
        ))}
        <button type="button" class="main" onClick={close}>
          Play on
        </button>
      </p>
    </Dialog>
  );
}
