/**
 * Measures what the page weighs on the wire and how soon a checker can be moved.
 *
 *     npm run weigh --workspace tests/web
 */

import type { Browser } from "playwright-core";
import { DESKTOP } from "./player.js";
import { browse, serve } from "./running.js";

const ROUNDS = 5;

interface Measured {
  readonly bytes: number;
  readonly requests: number;
  readonly playable: number;
  readonly firstMove: number;
}

/** Loads the page with an empty cache, begins a game and throws, without a person's pauses. */
async function measure(browser: Browser, url: string): Promise<Measured> {
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  let requests = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += 1;
  });
  const begin = performance.now();
  // You begin with 6-1.
  await page.goto(`${url}/?seed=two`);
  await page.locator('dialog button[type="submit"]:enabled').waitFor();
  const playable = performance.now() - begin;
  const loaded = { bytes, requests };
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.getByRole("button", { name: "Throw the dice" }).click();
  await page.locator('[data-point="13"][aria-label*="can move"]').waitFor();
  const firstMove = performance.now() - begin;
  await context.close();
  return { ...loaded, playable, firstMove };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const running = await serve();
const browser = await browse();
const measured: Measured[] = [];
for (let round = 0; round < ROUNDS; round++) {
  measured.push(await measure(browser, running.url));
}
await browser.close();
await running.stop();
const of = (what: keyof Measured) => median(measured.map((each) => each[what]));
console.log(`page weight: ${(of("bytes") / 1000).toFixed(1)} kB on the wire in ${of("requests")} requests`);
console.log(`opponents to choose from: ${of("playable").toFixed(0)} ms after the address was entered`);
console.log(`first move possible: ${of("firstMove").toFixed(0)} ms, with nobody hesitating (medians of ${ROUNDS})`);
