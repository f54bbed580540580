/** The board without anything on it. */

import { useId } from "preact/hooks";
import * as at from "./geometry.js";

const POINTS = Array.from({ length: 24 }, (_, index) => index + 1);

export function Surface() {
  // Two boards may be on the page: their gradients need different names.
  const id = useId();
  const half = 6 * at.POINT;
  const height = at.BOTTOM - at.TOP;
  return (
    <svg class="surface" viewBox={`0 0 ${at.WIDTH} ${at.HEIGHT}`} aria-hidden="true">
      <defs>
        <linearGradient id={`${id}wood`} x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" class="wood-light" />
          <stop offset="0.5" class="wood-middle" />
          <stop offset="1" class="wood-dark" />
        </linearGradient>
        <radialGradient id={`${id}felt`} cx="0.5" cy="0.5" r="0.75">
          <stop offset="0" class="felt-light" />
          <stop offset="1" class="felt-dark" />
        </radialGradient>
        <linearGradient id={`${id}pale`} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" class="pale-base" />
          <stop offset="1" class="pale-tip" />
        </linearGradient>
        <linearGradient id={`${id}deep`} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" class="deep-base" />
          <stop offset="1" class="deep-tip" />
        </linearGradient>
      </defs>
      <rect width={at.WIDTH} height={at.HEIGHT} rx="20" fill={`url(#${id}wood)`} />
      <rect class="frame-edge" x="1.5" y="1.5" width={at.WIDTH - 3} height={at.HEIGHT - 3} rx="18.5" />
      {[at.LEFT, at.RIGHT].map((x) => (
        <g key={x}>
          <rect class="sunk" x={x - 2} y={at.TOP - 2} width={half + 4} height={height + 4} rx="6" />
          <rect x={x} y={at.TOP} width={half} height={height} rx="4" fill={`url(#${id}felt)`} />
        </g>
      ))}
      {POINTS.map((point) => (
        <Triangle key={point} point={point} fill={`url(#${id}${point % 2 === 0 ? "pale" : "deep"})`} />
      ))}
      <rect class="hinge" x={at.BAR + at.BAR_WIDTH / 2 - 0.75} y="0" width="1.5" height={at.HEIGHT} />
      {[at.TOP, at.BOTTOM - at.TRAY_HEIGHT].map((y) => (
        <g key={y}>
          <rect class="sunk" x={at.TRAY - 2} y={y - 2} width={at.TRAY_WIDTH + 4} height={at.TRAY_HEIGHT + 4} rx="6" />
          <rect class="tray" x={at.TRAY} y={y} width={at.TRAY_WIDTH} height={at.TRAY_HEIGHT} rx="4" />
        </g>
      ))}
    </svg>
  );
}

/** One point; its gradient runs from the edge to the tip, so that those on top are the others turned round. */
function Triangle({ point, fill }: { readonly point: number; readonly fill: string }) {
  const x = at.pointX(point);
  const half = at.POINT / 2 - 3;
  const shape = `M${-half} 0H${half}L1.5 ${at.TRIANGLE - 3}Q0 ${at.TRIANGLE} -1.5 ${at.TRIANGLE - 3}Z`;
  const place = at.isTop(point) ? `translate(${x} ${at.TOP})` : `translate(${x} ${at.BOTTOM}) rotate(180)`;
  const numberY = at.isTop(point) ? at.TOP - 8 : at.BOTTOM + 17;
  return (
    <g>
      <path class="triangle" d={shape} transform={place} fill={fill} />
      <text class="number" x={x} y={numberY}>
        {point}
      </text>
    </g>
  );
}
