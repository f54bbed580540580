/** What opens above the board. */

import type { Preferences } from "../game/store.js";
import type { Table } from "../game/table.js";
import { AnalysisDialog } from "./dialogs/AnalysisDialog.js";
import { DiceDialog } from "./dialogs/DiceDialog.js";
import { NewDialog } from "./dialogs/NewDialog.js";
import { PositionDialog } from "./dialogs/PositionDialog.js";
import { ResignDialog } from "./dialogs/ResignDialog.js";
import { SettingsDialog } from "./dialogs/SettingsDialog.js";

export type Opened = "new" | "position" | "dice" | "analysis" | "resign" | "settings";

export interface DialogsProps {
  readonly opened: Opened | undefined;
  readonly open: (dialog: Opened | undefined) => void;
  readonly table: Table;
  readonly word: string | undefined;
  readonly preferences: Preferences;
  readonly prefer: (preferences: Preferences) => void;
}

export function Dialogs(props: DialogsProps) {
  switch (props.opened) {
    case "new":
      return <NewDialog {...props} />;
    case "position":
      return <PositionDialog {...props} />;
    case "dice":
      return <DiceDialog {...props} />;
    case "analysis":
      return <AnalysisDialog {...props} />;
    case "resign":
      return <ResignDialog {...props} />;
    case "settings":
      return <SettingsDialog {...props} />;
    default:
      return null;
  }
}
