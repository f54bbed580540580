/** A board for the terminal. */

import { CrawfordState, CubeOwner, type MatchState } from "./generated/bgbot/v1/match_pb.js";
import type { Dice, Position, Side } from "./generated/bgbot/v1/position_pb.js";

/** What to show beside the checkers. */
export interface DrawingOptions {
  readonly dice?: Dice;
  /** Score, cube and agreements, seen by the player. */
  readonly match?: MatchState;
  /** Pips of the player and of the opponent, as the daemon counts them. */
  readonly pips?: readonly [number, number];
  /** Draws with ASCII alone: the player's checkers are `X`, the opponent's `O`. */
  readonly asciiOnly?: boolean;
}

type Symbols = Readonly<Record<"player" | "opponent" | "line" | "wall" | "top" | "bottom", string>>;

const ROWS = 5; // of checkers between the edge and the middle; a number tells what does not fit
const TOP = Array.from({ length: 12 }, (_, i) => 13 + i);
const BOTTOM = Array.from({ length: 12 }, (_, i) => 12 - i);
const UNICODE: Symbols = { player: "●", opponent: "○", line: "─", wall: "│", top: "┌┬┬┐", bottom: "└┴┴┘" };
const ASCII: Symbols = { player: "X", opponent: "O", line: "-", wall: "|", top: "++++", bottom: "++++" };

/** Draws a position as its player sees it: at the bottom, moving from 24 at the top right to 1. */
export function drawBoard(position: Position, { dice, match, pips, asciiOnly }: DrawingOptions = {}): string {
  const { player, opponent } = position;
  if (!player || !opponent) {
    throw new TypeError("a position has two sides");
  }
  const symbols = asciiOnly ? ASCII : UNICODE;
  const half = (points: readonly number[], bar: readonly string[]) => {
    const stacks = points.map((point) => {
      const own = player.points[point - 1] ?? 0;
      return own > 0 ? stack(symbols.player, own) : stack(symbols.opponent, opponent.points[24 - point] ?? 0);
    });
    return bar.map((checker, row) => {
      const cells = stacks.map((column) => `${column[row]?.padStart(2)} `);
      const [left, right] = [cells.slice(0, 6), cells.slice(6)].map((six) => ` ${six.join("")}`);
      return walled(left, ` ${checker.padEnd(2)}`, right, symbols);
    });
  };
  // Checkers on the bar stand towards the middle, away from the edge that the points grow from.
  const board = [
    edge(TOP, symbols.top, symbols.line),
    ...half(TOP, stack(symbols.opponent, opponent.bar).reverse()),
    walled(" ".repeat(19), "BAR", " ".repeat(19), symbols),
    ...half(BOTTOM, stack(symbols.player, player.bar).reverse()).reverse(),
    edge(BOTTOM, symbols.bottom, symbols.line),
  ];
  const inMatch = match !== undefined && match.length > 0;
  const roll = dice ? `roll ${dice.die1}-${dice.die2}` : "";
  const besides = [
    `${symbols.opponent} opponent`,
    ...beside(opponent, pips?.[1], inMatch ? match.opponentScore : undefined),
    cube(match, CubeOwner.OPPONENT),
    [cube(match, CubeOwner.CENTERED), roll].filter(Boolean).join("   "),
    cube(match, CubeOwner.PLAYER),
    ...beside(player, pips?.[0], inMatch ? match.playerScore : undefined).reverse(),
    `${symbols.player} player`,
  ];
  const lines = board.map((line, row) => `${line}  ${besides[row]}`.trimEnd());
  return [...(match ? [title(match)] : []), ...lines].join("\n");
}

/** Draws so many checkers from the edge to the middle; the last is their number where there are more than rows. */
function stack(symbol: string, count: number): string[] {
  const rows = Array.from({ length: ROWS }, (_, row) => (row < count ? symbol : ""));
  return count > ROWS ? [...rows.slice(0, -1), String(count)] : rows;
}

function walled(left: string | undefined, bar: string, right: string | undefined, symbols: Symbols): string {
  return ["", left, bar, right, ""].join(symbols.wall);
}

/** Draws the numbers of twelve points into the frame. */
function edge(points: readonly number[], corners: string, line: string): string {
  const numbers = points.map((point) => String(point).padStart(2, line) + line);
  const [left, right] = [numbers.slice(0, 6), numbers.slice(6)].map((six) => line + six.join(""));
  return `${corners[0]}${left}${corners[1]}${line.repeat(3)}${corners[2]}${right}${corners[3]}`;
}

/** Says what stands beside a side's half, from the edge inwards; the last row is the cube's. */
function beside(side: Side, pips: number | undefined, score: number | undefined): string[] {
  const said = [
    ...(pips === undefined ? [] : [`${pips} pips`]),
    ...(score === undefined ? [] : [`score ${score}`]),
    ...(side.off === 0 ? [] : [`${side.off} off`]),
  ];
  return [...said, ...Array<string>(ROWS - 1 - said.length).fill("")];
}

function cube(match: MatchState | undefined, owner: CubeOwner): string {
  return match?.cube?.owner === owner ? `cube ${match.cube.value}` : "";
}

/** Names the match and its agreements. */
function title(match: MatchState): string {
  const crawford =
    match.crawford === CrawfordState.CRAWFORD_GAME
      ? "Crawford game"
      : match.crawford === CrawfordState.POST_CRAWFORD
        ? "after Crawford"
        : "";
  const kind = match.length > 0 ? `Match to ${match.length}` : "Money game";
  return [kind, match.jacoby && "Jacoby", match.beavers && "beavers", crawford].filter(Boolean).join(", ");
}
