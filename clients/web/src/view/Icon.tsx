/** Small drawings beside words. */

const SHAPES = {
  new: "M12 5v14M5 12h14",
  position: "M4 4h16v16H4zM12 4v16M7 4l1.5 7L10 4M14 20l1.5-7L17 20",
  sealed: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.5v2.5",
  analysis: "M4 20V4M4 20h16M8 16l4-5 3 3 5-7",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M8 8h11v12H8zM5 16V4h11",
} as const;

export function Icon({ name }: { readonly name: keyof typeof SHAPES }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
