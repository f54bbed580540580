/** A die. */

const PIPS: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  1: [[2, 2]],
  2: [
    [1, 3],
    [3, 1],
  ],
  3: [
    [1, 3],
    [2, 2],
    [3, 1],
  ],
  4: [
    [1, 1],
    [1, 3],
    [3, 1],
    [3, 3],
  ],
  5: [
    [1, 1],
    [1, 3],
    [2, 2],
    [3, 1],
    [3, 3],
  ],
  6: [
    [1, 1],
    [1, 2],
    [1, 3],
    [3, 1],
    [3, 2],
    [3, 3],
  ],
};

export function Die({ face, of, used }: { readonly face: number; readonly of: "you" | "bot"; readonly used: boolean }) {
  return (
    <svg class={`die of-${of}`} data-used={used} viewBox="0 0 40 40" aria-hidden="true">
      <rect class="die-body" x="1" y="1" width="38" height="38" rx="8.5" />
      <rect class="die-face" x="3.5" y="3.5" width="33" height="33" rx="12" />
      {PIPS[face]?.map(([column, row]) => (
        <circle key={`${column}${row}`} class="pip" cx={column * 10} cy={row * 10} r="3.6" />
      ))}
    </svg>
  );
}
