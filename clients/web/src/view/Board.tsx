/** The board: what lies on it, what can be touched, and what it says to who cannot see it. */

import type { MatchState, Position } from "bgbot/v1";
import { CubeOwner } from "bgbot/v1";
import { useRef } from "preact/hooks";
import type { Who } from "../game/sides.js";
import type { Shown } from "../game/state.js";
import { type Checker, placed, spotOf } from "./checkers.js";
import { Die } from "./Die.js";
import * as at from "./geometry.js";
import { Surface } from "./Surface.js";
import { useTouch } from "./touch.js";

export interface BoardProps {
  readonly shown: Shown;
  /** Seen by you. */
  readonly match: MatchState | undefined;
  /** Changes with every roll, so that dice are seen to be thrown. */
  readonly rollKey: string;
  readonly sources: ReadonlySet<number>;
  readonly selected: number | undefined;
  readonly landings: ReadonlySet<number>;
  readonly mayDouble: boolean;
  /** Whose answer to a double is awaited. */
  readonly offeredTo: Who | undefined;
  readonly onTouch: (point: number) => void;
  readonly onLift: (from: number) => void;
  readonly onDrop: (from: number, to: number) => void;
  readonly onDouble: () => void;
  readonly onCancel: () => void;
}

/** The order in which arrow keys go: along the top, then along the bottom. */
const TOP_ROW = [13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24];
const BOTTOM_ROW = [12, 11, 10, 9, 8, 7, at.YOUR_BAR, 6, 5, 4, 3, 2, 1, at.OFF];

export function Board(props: BoardProps) {
  const { shown, selected, landings, sources } = props;
  const before = useRef<readonly Checker[]>([]);
  const board = useRef<HTMLDivElement>(null);
  const checkers = placed(shown.position, before.current);
  before.current = checkers;
  const drag = useTouch(board, props);
  const focus = selected ?? [...sources][0] ?? 6;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds a form's fields
    <div
      class="board"
      ref={board}
      role="group"
      aria-label="Board"
      onKeyDown={(event) => goAlong(event, board.current, props.onCancel)}
      {...drag.handlers}
    >
      <Surface />
      {[...TOP_ROW, ...BOTTOM_ROW].map((point) => (
        <Place key={point} point={point} {...props} focusable={point === focus} />
      ))}
      {checkers
        .toSorted((one, other) => Number(other.yours) - Number(one.yours) || one.id - other.id)
        .map((checker) => (
          <Piece
            key={`${checker.yours}${checker.id}`}
            checker={checker}
            lifted={isTopmost(checker) && checker.yours && checker.point === selected}
            movable={isTopmost(checker) && checker.yours && selected === undefined && sources.has(checker.point)}
            dragged={isTopmost(checker) && checker.yours && checker.point === drag.from ? drag.to : undefined}
          />
        ))}
      {selected !== undefined && [...landings].map((point) => <Landing key={point} point={point} shown={shown} />)}
      {stackNumbers(checkers)}
      <Dice shown={shown} rollKey={props.rollKey} />
      <Cube {...props} />
    </div>
  );
}

function isTopmost({ slot, count }: Checker): boolean {
  return slot === count - 1;
}

function place(x: number, y: number): Record<string, string> {
  return { "--x": String(x), "--y": String(y) };
}

interface PieceProps {
  readonly checker: Checker;
  readonly lifted: boolean;
  readonly movable: boolean;
  readonly dragged: at.Spot | undefined;
}

function Piece({ checker, lifted, movable, dragged }: PieceProps) {
  const { x, y } = dragged ?? spotOf(checker);
  const { yours, point, slot } = checker;
  const style = { ...place(x, y), zIndex: dragged ? 60 : 10 + slot };
  const kind = `checker of-${yours ? "you" : "bot"}${point === at.OFF ? " off" : ""}`;
  return (
    <div class={kind} data-lifted={lifted} data-movable={movable} data-dragged={dragged !== undefined} style={style} />
  );
}

/** A number on stacks that are too tall to be counted at a look. */
function stackNumbers(checkers: readonly Checker[]) {
  return checkers
    .filter((checker) => isTopmost(checker) && checker.point !== at.OFF && checker.count > 5)
    .map((checker) => {
      const { x, y } = spotOf(checker);
      const of = checker.yours ? "you" : "bot";
      return (
        <span key={`${of}${checker.point}`} class={`stack of-${of}`} style={place(x, y)} aria-hidden="true">
          {checker.count}
        </span>
      );
    });
}

function Landing({ point, shown }: { readonly point: number; readonly shown: Shown }) {
  const spot = landingSpot(point, shown.position);
  return <div class={point === at.OFF ? "landing off" : "landing"} style={place(spot.x, spot.y)} />;
}

function landingSpot(point: number, { player }: Position): at.Spot {
  if (point === at.OFF) {
    return at.inTray(true, player?.off ?? 0);
  }
  const standing = player?.points[point - 1] ?? 0;
  return at.onPoint(point, Math.min(standing, 5), Math.min(standing + 1, 6));
}

/** A point, the bar or the tray, as something that can be touched and that says what is there. */
function Place({ point, focusable, ...props }: BoardProps & { readonly point: number; readonly focusable: boolean }) {
  const { shown, sources, selected, landings } = props;
  const isLanding = selected !== undefined && landings.has(point);
  const canMove = sources.has(point);
  const says = [
    whatStands(point, shown.position),
    selected === point ? "selected" : canMove && "can move",
    isLanding && "landing spot",
  ];
  return (
    <button
      type="button"
      class={`place ${kindOf(point)}`}
      style={placeStyle(point)}
      data-point={point}
      data-landing={isLanding}
      data-movable={canMove}
      data-touched={shown.touched.includes(point)}
      tabIndex={focusable ? 0 : -1}
      aria-pressed={selected === point}
      aria-label={says.filter(Boolean).join(", ")}
      onClick={(event) => {
        // Pointers are followed by `useTouch`; what is left are keys and assistive technology.
        if (event.detail === 0) {
          props.onTouch(point);
        }
      }}
    />
  );
}

function kindOf(point: number): string {
  return point === at.OFF ? "tray" : point === at.YOUR_BAR ? "bar" : at.isTop(point) ? "top" : "bottom";
}

function placeStyle(point: number): Record<string, string> {
  if (point === at.OFF) {
    return place((at.TRAY + at.TRAY_END) / 2, at.BOTTOM - at.TRAY_HEIGHT / 2);
  }
  if (point === at.YOUR_BAR) {
    return place(at.BAR + at.BAR_WIDTH / 2, at.MIDDLE + 170);
  }
  return place(at.pointX(point), at.isTop(point) ? at.TOP + 144 : at.BOTTOM - 144);
}

function whatStands(point: number, { player, opponent }: Position): string {
  const checkers = (count: number, whose: string) => `${count} ${whose} ${count === 1 ? "checker" : "checkers"}`;
  if (point === at.OFF) {
    return `Off: ${checkers(player?.off ?? 0, "of your")}, ${checkers(opponent?.off ?? 0, "opposing")}`;
  }
  if (point === at.YOUR_BAR) {
    return `Bar: ${checkers(player?.bar ?? 0, "of your")}, ${checkers(opponent?.bar ?? 0, "opposing")}`;
  }
  const yours = player?.points[point - 1] ?? 0;
  const theirs = opponent?.points[24 - point] ?? 0;
  const stands = yours > 0 ? checkers(yours, "of your") : theirs > 0 ? checkers(theirs, "opposing") : "empty";
  return `Point ${point}: ${stands}`;
}

function Dice({ shown, rollKey }: { readonly shown: Shown; readonly rollKey: string }) {
  const { dice, diceOf, remaining } = shown;
  if (!dice) {
    return null;
  }
  const faces = dice.die1 === dice.die2 ? Array<number>(4).fill(dice.die1) : [dice.die1, dice.die2];
  const left = [...remaining];
  const used = faces.map((face) => {
    const index = left.indexOf(face);
    if (index < 0) {
      return true;
    }
    left.splice(index, 1);
    return false;
  });
  const isDouble = faces.length > 2;
  // Of a double the dice that are used go from the left.
  const usedShown = isDouble ? used.toSorted((one, other) => Number(other) - Number(one)) : used;
  const words = `${diceOf === "you" ? "Your" : "Opposing"} dice: ${dice.die1} and ${dice.die2}`;
  return (
    <div key={rollKey} class={`dice of-${diceOf}`} data-double={isDouble} role="img" aria-label={words}>
      {faces.map((face, index) => (
        <Die key={`${index}${face}`} face={face} of={diceOf} used={usedShown[index] ?? false} />
      ))}
    </div>
  );
}

type CubeProps = Pick<BoardProps, "match" | "mayDouble" | "offeredTo" | "onDouble">;

function Cube({ match, mayDouble, offeredTo, onDouble }: CubeProps) {
  const { value, owner } = match?.cube ?? { value: 1, owner: CubeOwner.CENTERED };
  // A cube that nobody has turned lies with its 64 up.
  const face = offeredTo ? 2 * value : value === 1 ? 64 : value;
  const whose =
    owner === CubeOwner.PLAYER ? "yours" : owner === CubeOwner.OPPONENT ? "the opponent's" : "in the middle";
  const y = owner === CubeOwner.PLAYER ? 58 : owner === CubeOwner.OPPONENT ? -58 : 0;
  return (
    <button
      type="button"
      class="cube"
      style={{
        ...place(offeredTo ? at.OFFERED[offeredTo] : (at.TRAY + at.TRAY_END) / 2, at.MIDDLE + (offeredTo ? 0 : y)),
        "--digits": String(face).length,
      }}
      data-offered={offeredTo !== undefined}
      disabled={!mayDouble}
      aria-label={`Cube showing ${face}: stake ${value}, ${offeredTo ? "doubled" : whose}${mayDouble ? ". Double" : ""}`}
      onClick={onDouble}
    >
      {face}
    </button>
  );
}

/** Lets the arrow keys go from place to place. */
function goAlong(event: KeyboardEvent, board: HTMLElement | null, cancel: () => void): void {
  const here = (event.target as HTMLElement).dataset.point;
  if (event.key === "Escape") {
    cancel();
    return;
  }
  if (here === undefined || !event.key.startsWith("Arrow")) {
    return;
  }
  const point = Number(here);
  const isTop = TOP_ROW.includes(point);
  const row = isTop ? TOP_ROW : BOTTOM_ROW;
  const column = row.indexOf(point);
  const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
  const isAway = (event.key === "ArrowDown") === isTop;
  const next = step !== 0 ? row[(column + step + row.length) % row.length] : isAway ? acrossFrom(point) : point;
  event.preventDefault();
  board?.querySelector<HTMLElement>(`[data-point="${next}"]`)?.focus();
}

function acrossFrom(point: number): number {
  return point === at.OFF ? 24 : point === at.YOUR_BAR ? 18 : 25 - point;
}
