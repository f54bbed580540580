/**
 * Looks for words whose match to 3 points brings everything that the browser test has to see.
 *
 *     npm run find-seed --workspace tests/web -- [HOW MANY]
 */

import { ResultKind } from "bgbot/v1";
import { type Course, Foretold } from "./course.js";
import { serve } from "./running.js";

export const WANTED: readonly (readonly [string, (events: ReadonlySet<string>) => boolean])[] = [
  ["a double taken", (events) => events.has("taken")],
  ["a double dropped", (events) => events.has("dropped")],
  ["a dance of yours", (events) => events.has("you DANCE")],
  ["a larger die forced on you", (events) => events.has("you LARGER_DIE_FORCED")],
  ["a gammon", (events) => events.has(`you ${ResultKind.GAMMON}`) || events.has(`bot ${ResultKind.GAMMON}`)],
];

if (import.meta.url.endsWith(process.argv[1] ?? "-")) {
  const running = await serve();
  let shortest: Course | undefined;
  for (let number = 1; number <= Number(process.argv[2] ?? 1000); number++) {
    const word = `match-${number}`;
    const course = await new Foretold(running.client, word).play(3);
    const missing = WANTED.filter(([, happened]) => !happened(course.events));
    if (missing.length === 0 && course.deeds.length < (shortest?.deeds.length ?? Number.POSITIVE_INFINITY)) {
      shortest = course;
      console.log(`${word}: ${course.deeds.length} deeds, ${course.score.join("-")}`, [...course.events].join(", "));
    }
  }
  await running.stop();
}
