/** Where things lie on the board, in units of which its whole width has `WIDTH`. */

export const WIDTH = 900;
export const HEIGHT = 736;
export const FRAME = 24;
export const POINT = 60;
export const CHECKER = 54;
export const BAR_WIDTH = 62;
/** Height of a triangle. */
export const TRIANGLE = 272;
const GAP = 12;
export const TRAY_WIDTH = 62;
/** Height of a checker that lies in the tray, seen from its edge. */
export const SLICE = 16;
/** Height of a tray, of fifteen of them. */
export const TRAY_HEIGHT = 256;

export const LEFT = FRAME;
export const BAR = LEFT + 6 * POINT;
export const RIGHT = BAR + BAR_WIDTH;
export const PLAY_END = RIGHT + 6 * POINT;
export const TRAY = PLAY_END + GAP;
export const TRAY_END = TRAY + TRAY_WIDTH;
export const TOP = FRAME;
export const BOTTOM = HEIGHT - FRAME;
export const MIDDLE = HEIGHT / 2;

/** Where a cube lies that is offered: before who has to answer. */
export const OFFERED = { you: RIGHT + 3 * POINT, bot: LEFT + 3 * POINT } as const;

/** The bar and the place for checkers that are off, beside the 24 points; in your numbering. */
export const YOUR_BAR = 25;
export const OFF = 0;

export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Gives the middle of a point, in your numbering. */
export function pointX(point: number): number {
  const column = point <= 12 ? 12 - point : point - 13;
  return (column < 6 ? LEFT : RIGHT - 6 * POINT) + column * POINT + POINT / 2;
}

export function isTop(point: number): boolean {
  return point > 12;
}

/** Gives the middle of a checker on a point. */
export function onPoint(point: number, slot: number, count: number): Spot {
  const spacing = count > 5 ? (4 * CHECKER) / (count - 1) : CHECKER;
  const depth = CHECKER / 2 + 2 + slot * spacing;
  return { x: pointX(point), y: isTop(point) ? TOP + depth : BOTTOM - depth };
}

/** Gives the middle of a checker on the bar; yours stand below the middle. */
export function onBar(yours: boolean, slot: number, count: number): Spot {
  const spacing = count > 4 ? (3 * CHECKER) / (count - 1) : CHECKER;
  const depth = 66 + slot * spacing;
  return { x: BAR + BAR_WIDTH / 2, y: yours ? MIDDLE + depth : MIDDLE - depth };
}

/** Gives the middle of a checker in the tray; yours lie at the bottom. */
export function inTray(yours: boolean, slot: number): Spot {
  const depth = SLICE / 2 + 4 + slot * (SLICE + 0.5);
  return { x: (TRAY + TRAY_END) / 2, y: yours ? BOTTOM - depth : TOP + depth };
}
