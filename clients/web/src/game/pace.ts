/** How fast things happen: what nobody could follow needs a pause. */

export type Pace = "relaxed" | "brisk" | "instant";
/** As long as a step takes, or a look at the dice. */
export type Length = "step" | "look";

const MILLISECONDS: Readonly<Record<Pace, Readonly<Record<Length, number>>>> = {
  relaxed: { step: 420, look: 900 },
  brisk: { step: 240, look: 450 },
  instant: { step: 0, look: 0 },
};

let pace: Pace = "brisk";

export function setPace(chosen: Pace): void {
  pace = chosen;
}

export function wait(length: Length): Promise<void> {
  const milliseconds = MILLISECONDS[pace][length];
  return milliseconds === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, milliseconds));
}
