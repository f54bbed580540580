/** A whole match to 3 points is played through the page by clicks, and its dice are checked. */

import { createHash } from "node:crypto";
import { deriveRoll } from "bgbot";
import { connect } from "bgbot/node";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Course, Foretold } from "./course.js";
import { WANTED } from "./find-seed.js";
import { DESKTOP, PHONE, Player } from "./player.js";
import { browse } from "./running.js";

// Found by `npm run find-seed`: the shortest of 400 matches in which everything happens.
const WORD = "match-61";

let browser: Browser;
let course: Course;

beforeAll(async () => {
  browser = await browse();
  const client = connect(inject("address"));
  course = await new Foretold(client, WORD).play(3);
  client.close();
});

afterAll(() => browser.close());

test.each(WANTED)("the match brings %s", (_what, happened) => {
  expect(happened(course.events)).toBe(true);
});

describe.each([
  ["a desktop", DESKTOP],
  ["a phone", PHONE],
])("on %s", (_device, viewport) => {
  let player: Player;
  const seals: string[] = [];

  beforeAll(async () => {
    player = await Player.sit(browser, `${inject("url")}/?seed=${WORD}`, { viewport, reducedMotion: "reduce" });
    await player.hurry();
    await player.begin("Medium", "3");
    for (const deed of course.deeds) {
      if (deed.kind === "throw") {
        seals.push(await commitmentShown(player));
      }
      await player.do(deed);
    }
    await player.stage("over").waitFor();
  });

  afterAll(() => player.page.context().close());

  test.each([
    ["a double is taken", /(You take\.|Medium takes\.)/],
    ["a double is dropped", /(You pass\.|Medium passes\.)/],
    ["you dance", /No moves: you stay on the bar\./],
    ["the larger die is forced", /Use the [2-6]!/],
    ["a gammon is won", /a gammon: \d points/],
  ])("%s", async (_event, words) => {
    expect((await player.heard()).filter((said) => words.test(said))).not.toEqual([]);
  });

  test("the score is the one foretold", async () => {
    const scores = await player.page.locator(".plate .score").allInnerTexts();
    expect(scores.map((score) => Number(score.match(/\d+/)?.[0]))).toEqual([course.score[1], course.score[0]]);
  });

  test("the dice keep their seals, as the page's browser and this test find", async () => {
    await player.button("Check dice").click();
    for (let game = 1; game <= course.games; game++) {
      if (course.games > 1) {
        await player.button(`Game ${game}`).click();
      }
      const words = await player.page.locator('dialog [data-valid="true"]').textContent();
      expect(words).toMatch(/^✓ The seed fits the commitment, and all \d+ rolls fit the seed\.$/);
      const seed = Buffer.from((await player.page.locator("code.seed").textContent()) ?? "", "hex");
      expect(createHash("sha256").update(seed).digest("hex")).toBe(seals[game - 1]);
      const shown = await player.page.locator(".throws li").allInnerTexts();
      const derived = await Promise.all(shown.map((_, index) => deriveRoll(seed, index, index === 0)));
      expect(shown.map((roll) => roll.replace(/\s*opening$/, ""))).toEqual(
        derived.map(({ dice, ties }) => [...ties, dice].map((faces) => faces.join("-")).join(" ")),
      );
    }
  });

  test("the page complains of nothing", () => {
    expect(player.complaints).toEqual([]);
  });
});

/** Reads the commitment that the page shows before the first roll. */
async function commitmentShown(player: Player): Promise<string> {
  await player.stage("opening").waitFor();
  await player.button("Dice").click();
  const text = await player.page.locator("dialog .seal code").textContent();
  expect(await player.page.locator("code.seed").count()).toBe(0);
  await player.page.getByRole("button", { name: "Close" }).click();
  return text ?? "";
}
