/** Nothing on the page shuts anybody out, as far as axe can tell, and nothing jumps. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { DESKTOP, PHONE, Player } from "./player.js";
import { browse } from "./running.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// You begin with 6-1.
const WORD = "two";

let browser: Browser;
beforeAll(async () => {
  browser = await browse();
});
afterAll(() => browser.close());

/** Gives what axe finds wrong with the page as it stands, in a line each. */
async function violations({ page }: Player): Promise<string[]> {
  const { violations: found } = await page.evaluate<AxeResults>("axe.run()");
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

describe.each([
  ["light, on a desktop", DESKTOP, "light"],
  ["dark, on a phone", PHONE, "dark"],
] as const)("%s", (_look, viewport, colorScheme) => {
  let player: Player;
  const board: string[] = [];
  const measure = async () => {
    const { x, y, width, height } = (await player.page.locator(".board").boundingBox()) ?? expect.unreachable();
    const scrolled = await player.page.evaluate(() => scrollY);
    board.push([x, y + scrolled, width, height].map(Math.round).join(" "));
  };

  beforeAll(async () => {
    player = await Player.sit(browser, `${inject("url")}/?seed=${WORD}`, { viewport, colorScheme });
    await player.page.evaluate(AXE);
  });

  afterAll(() => player.page.context().close());

  test("the choice of an opponent", async () => {
    await player.page.getByRole("radio", { name: /^Grandmaster/ }).waitFor();
    expect(await violations(player)).toEqual([]);
  });

  test("the settings, with all that is drawn at rest", async () => {
    await player.hurry();
    await player.button("Close").click();
    await player.button("Settings").click();
    expect(await violations(player)).toEqual([]);
    await player.button("Close").click();
  });

  test("a turn, with a checker in the hand and hints", async () => {
    await player.button("New").first().click();
    await player.begin("Easy", "Money");
    await measure();
    await player.do({ kind: "throw" });
    await player.stage("moving").waitFor();
    await measure();
    await player.button("Hint").click();
    await player.page.locator(".plays li").first().waitFor();
    await player.place(13).click();
    await player.page.locator('[data-landing="true"]').first().waitFor();
    await measure();
    expect(await violations(player)).toEqual([]);
  });

  test.each(["Dice", "Position"])("the dialog %s", async (name) => {
    await player.button(name).click();
    expect(await violations(player)).toEqual([]);
    await player.button("Close").click();
  });

  test("the end of a game and its analysis", async () => {
    await player.place(7).click();
    await player.page.locator('.die[data-used="true"]').waitFor();
    await player.step(8, 7, 1);
    await player.button("Done").click();
    await player.stage("cube").waitFor();
    await measure();
    await player.button("Resign").click();
    expect(await violations(player)).toEqual([]);
    await player.button("Lose a gammon").click();
    await player.stage("over").waitFor();
    await measure();
    expect(await violations(player)).toEqual([]);
    await player.button("Analyse").click();
    await player.page.locator("table.summary").waitFor();
    const overhang = await player.page.locator("dialog").evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
    expect(overhang).toBe(0);
    expect(await violations(player)).toEqual([]);
  });

  test("the board has stood still", () => {
    expect(new Set(board).size).toBe(1);
  });

  test("nothing is wider than the window", async () => {
    const overhang = await player.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overhang).toBeLessThanOrEqual(0);
  });
});

test.each([
  ["a phone on its side", { width: 740, height: 360 }],
  ["a desktop at 200 %", { width: 640, height: 430 }],
] as const)("on %s the whole board and what can be done are in view at once", async (_name, viewport) => {
  const player = await Player.sit(browser, `${inject("url")}/?seed=${WORD}`, { viewport });
  await player.hurry();
  await player.begin("Easy", "Money");
  await player.do({ kind: "throw" });
  await player.stage("moving").waitFor();
  for (const part of [".board", ".actions"]) {
    const { x, y, width, height } = (await player.page.locator(part).boundingBox()) ?? expect.unreachable();
    expect([x >= 0, y >= 0, x + width <= viewport.width, y + height <= viewport.height]).toEqual(Array(4).fill(true));
  }
  await player.page.evaluate(AXE);
  expect(await violations(player)).toEqual([]);
  await player.page.context().close();
});
