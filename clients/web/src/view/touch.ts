/** Fingers and mice on the board: a tap touches a place, a drag carries a checker from place to place. */

import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { type Spot, WIDTH } from "./geometry.js";

interface Touched {
  readonly sources: ReadonlySet<number>;
  readonly onTouch: (point: number) => void;
  /** A checker begins to be carried. */
  readonly onLift: (from: number) => void;
  readonly onDrop: (from: number, to: number) => void;
}

interface Drag {
  readonly from: number;
  readonly start: Spot;
  readonly to: Spot | undefined;
}

// So far a finger that taps may slip, in pixels.
const SLIP = 8;

export function useTouch(board: RefObject<HTMLDivElement | null>, { sources, onTouch, onLift, onDrop }: Touched) {
  const [drag, setDrag] = useState<Drag>();
  const placeAt = (event: PointerEvent) => {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-point]");
    return found?.dataset.point === undefined ? undefined : Number(found.dataset.point);
  };
  const spotAt = (event: PointerEvent): Spot => {
    const box = board.current?.getBoundingClientRect();
    const unit = (box?.width ?? WIDTH) / WIDTH;
    return { x: (event.clientX - (box?.left ?? 0)) / unit, y: (event.clientY - (box?.top ?? 0)) / unit };
  };
  return {
    from: drag?.to ? drag.from : undefined,
    to: drag?.to,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        const from = placeAt(event);
        if (from === undefined || event.button !== 0) {
          return;
        }
        setDrag({ from, start: { x: event.clientX, y: event.clientY }, to: undefined });
        if (sources.has(from)) {
          board.current?.setPointerCapture(event.pointerId);
        }
      },
      onPointerMove: (event: PointerEvent) => {
        if (drag && sources.has(drag.from)) {
          const slipped = Math.hypot(event.clientX - drag.start.x, event.clientY - drag.start.y);
          if (!drag.to && slipped > SLIP) {
            onLift(drag.from);
          }
          if (drag.to || slipped > SLIP) {
            setDrag({ ...drag, to: spotAt(event) });
          }
        }
      },
      onPointerUp: (event: PointerEvent) => {
        if (!drag) {
          return;
        }
        const point = placeAt(event);
        setDrag(undefined);
        if (!drag.to) {
          onTouch(drag.from);
        } else if (point !== undefined) {
          onDrop(drag.from, point);
        }
      },
      onPointerCancel: () => setDrag(undefined),
    },
  };
}
