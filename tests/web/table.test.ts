/** What happens at the table besides a match's usual course. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { positionSource } from "bgbot";
import { connect } from "bgbot/node";
import { CrawfordState, CubeOwner, type MatchStateSchema } from "bgbot/v1";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { Player } from "./player.js";
import { browse, serve } from "./running.js";

const client = connect(inject("address"));
let browser: Browser;
let player: Player;

beforeAll(async () => {
  browser = await browse();
});

afterAll(async () => {
  client.close();
  await browser.close();
});

async function sit(word: string, url = inject("url")): Promise<void> {
  player = await Player.sit(browser, `${url}/?seed=${word}`, { reducedMotion: "reduce" });
  await player.hurry();
}

afterEach(() => player.page.context().close());

const CENTERED = { value: 1, owner: CubeOwner.CENTERED };
const TO_FIVE = { length: 5, crawford: CrawfordState.NOT_REACHED, cube: CENTERED };

/** Gives the XGID of a position in which these stand, each side's checkers by its own points; the rest is off. */
async function xgid(
  yours: Readonly<Record<number, number>>,
  theirs: Readonly<Record<number, number>>,
  match: MessageInitShape<typeof MatchStateSchema>,
): Promise<string> {
  const side = (standing: Readonly<Record<number, number>>) => {
    const points = Array.from({ length: 24 }, (_, index) => standing[index + 1] ?? 0);
    return { points, off: 15 - points.reduce((sum, count) => sum + count, 0) };
  };
  const source = { case: "position" as const, value: { player: side(yours), opponent: side(theirs) } };
  const answer = await client.rules.convertPosition({ position: { source }, match });
  return answer.xgid;
}

describe("by keys alone", () => {
  beforeEach(() => sit("two"));

  async function goTo(point: number): Promise<void> {
    const focused = () => player.page.evaluate(() => Number((document.activeElement as HTMLElement).dataset.point));
    const isTop = (place: number) => place > 12 && place < 25;
    if (isTop(await focused()) !== isTop(point)) {
      await player.page.keyboard.press(isTop(point) ? "ArrowUp" : "ArrowDown");
    }
    for (let pressed = 0; (await focused()) !== point && pressed < 14; pressed++) {
      await player.page.keyboard.press("ArrowRight");
    }
    await player.page.keyboard.press("Enter");
  }

  test("a turn is played, undone and played again", async () => {
    const { keyboard } = player.page;
    await player.page.getByRole("radio", { name: /^Medium/ }).waitFor();
    await player.page.locator("button:focus").getByText("Play").waitFor();
    await keyboard.press("Enter");
    await player.stage("opening").locator("button:focus").waitFor();
    await keyboard.press("Enter");
    await player.stage("moving").waitFor();
    await player.page.locator("[data-point]:focus").waitFor();
    await goTo(13);
    await goTo(7);
    await player.page.locator('.die[data-used="true"]').waitFor();
    await keyboard.press("u");
    await player.page.locator('.die[data-used="true"]').waitFor({ state: "detached" });
    await goTo(13);
    await goTo(7);
    await player.page.locator('.die[data-used="true"]').waitFor();
    await goTo(8);
    await goTo(7);
    await player.page.getByRole("button", { name: "Done" }).and(player.page.locator(":focus")).waitFor();
    await keyboard.press("Enter");
    await player.stage("cube").waitFor();
    expect(await player.page.locator(".history li.of-you").textContent()).toContain("13/7 8/7");
  });

  test("a double that is not allowed is not made, and the page says why", async () => {
    await player.button("Close").click();
    const cube = { value: 2, owner: CubeOwner.OPPONENT };
    await player.beginFrom(await xgid({ 6: 5, 8: 3, 13: 7 }, { 6: 5, 8: 3, 13: 7 }, { ...TO_FIVE, cube }));
    await player.stage("cube").waitFor();
    await player.page.keyboard.press("d");
    await player.page.locator(".message").getByText("the opponent owns the cube of 2").waitFor();
    await player.page.keyboard.press("r");
    await player.stage("moving").waitFor();
  });
});

describe("a daemon that goes away", () => {
  test("is said plainly, and play goes on where it was when it is back", async () => {
    const first = await serve();
    await sit("two", first.url);
    await player.begin("Medium", "3");
    await player.do({ kind: "throw" });
    await player.step(13, 7, 0);
    await first.stop();
    await player.page.locator('[data-point="8"][aria-label*="can move"]').click();
    await player.page.locator('[data-point="7"][data-landing="true"]').click();
    await player.stage("trouble").waitFor();
    expect(await player.page.locator(".message").textContent()).toMatch(/^The daemon is away/);
    const second = await serve({ web: first.url.replace("http://", ""), listen: first.address });
    await player.button("Try again").click();
    await player.page.locator('.die[data-used="true"]').nth(1).waitFor();
    await player.button("Done").click();
    await player.stage("cube").waitFor();
    await second.stop();
  });
});

describe("a daemon without its engine", () => {
  test("plays at three levels, and says why not at the others and why there are no hints", async () => {
    const folder = mkdtempSync(`${tmpdir()}/engine-`);
    writeFileSync(`${folder}/bgbot_cpp.py`, "raise ImportError('it was taken away')\n");
    const running = await serve({ environment: { PYTHONPATH: folder } });
    await sit("two", running.url);
    const levels = player.page.locator(".bot");
    await levels.first().waitFor();
    expect(await levels.evaluateAll((all) => all.map((level) => (level as HTMLElement).dataset.available))).toEqual([
      ...["true", "true", "true"],
      ...["false", "false", "false"],
    ]);
    expect(await levels.last().textContent()).toContain("it was taken away");
    await player.begin("Medium", "3");
    await player.do({ kind: "throw" });
    await player.step(13, 7, 0);
    await player.step(8, 7, 1);
    await player.button("Done").click();
    await player.stage("cube").waitFor();
    await player.button("Hint").click();
    await player.page.getByText(/^This daemon cannot do that/).waitFor();
    await running.stop();
    rmSync(folder, { recursive: true });
  });
});

describe("a reload", () => {
  test("goes on with the same dice", async () => {
    await sit("two");
    await player.begin("Medium", "3");
    await player.do({ kind: "throw" });
    await player.stage("moving").waitFor();
    const dice = await player.page.locator(".dice").getAttribute("aria-label");
    await player.page.reload();
    await player.stage("moving").waitFor();
    expect(await player.page.locator("dialog").count()).toBe(0);
    expect(await player.page.locator(".dice").getAttribute("aria-label")).toBe(dice);
  });
});

describe("a reload with something else kept", () => {
  test.each(["{}", "null", "[]", '{"games":[{}]}', "nonsense"])("begins anew from %s", async (something) => {
    player = await Player.sit(browser, inject("url"));
    await player.page.evaluate((text) => localStorage.setItem("bgbot.match.1", text), something);
    await player.page.reload();
    await player.page.getByRole("radio", { name: /^Medium/ }).waitFor();
    expect(player.complaints).toEqual([]);
  });
});

describe("a reload after a game", () => {
  test("says again who has won", async () => {
    await sit("two");
    await player.begin("Medium", "3");
    await player.do({ kind: "throw" });
    await player.button("Resign").click();
    await player.button("Lose a backgammon").click();
    await player.stage("over").waitFor();
    await player.page.reload();
    await player.stage("over").waitFor();
    expect(await player.page.locator(".message").textContent()).toBe(
      "Medium wins a backgammon by resignation: 3 points.",
    );
  });
});

describe("a position", () => {
  test("comes in as XGID, and goes out as it came", async () => {
    await sit("two");
    await player.button("Close").click();
    const given = await xgid({ 6: 5, 8: 3, 13: 5, 20: 2 }, { 6: 5, 8: 3, 13: 5, 24: 2 }, TO_FIVE);
    await player.beginFrom(given);
    await player.stage("cube").waitFor();
    await player.button("Position").click();
    await player.page.getByText(given).waitFor();
  });

  test("that cannot be read is refused with the daemon's reason", async () => {
    await sit("two");
    await player.button("Close").click();
    await player.button("Position").click();
    await player.page.getByRole("textbox").fill("XGID=nonsense");
    await player.button("Play from here").click();
    const trouble = player.page.locator("#given-trouble");
    await trouble.getByText("XGID").waitFor();
    const refusal = await client.rules.convertPosition({ position: positionSource("XGID=nonsense") }).catch(String);
    expect(refusal).toContain((await trouble.textContent()) ?? "?");
  });

  test.each([
    ["that is finished", "XGID=-aaaaaaaaaaaaaaa----------:0:0:1:00:0:0:0:5:10", "the game is over"],
    [
      "with a double by who does not own the cube",
      "XGID=-b----D-CA--eE---c-e----B-:2:-1:1:D:0:0:0:5:10",
      "TAKE_OR_PASS",
    ],
  ])("%s is refused, and the match goes on", async (_kind, given, why) => {
    await sit("two");
    await player.begin("Medium", "3");
    await player.button("Position").click();
    await player.page.getByRole("textbox").fill(given);
    await player.button("Play from here").click();
    await player.page.locator("#given-trouble").getByText(why).waitFor();
    await player.button("Close").click();
    await player.do({ kind: "throw" });
    await player.stage("moving").waitFor();
  });

  test("with a checker on the bar keeps it in the hand, whatever else is touched", async () => {
    await sit("two");
    await player.button("Close").click();
    await player.beginFrom("XGID=-b----D-C---bE---c-e----BA:0:0:1:53:0:0:0:5:10");
    await player.stage("moving").waitFor();
    await player.place(13).click();
    await player.page.locator(".message").getByText("Nothing can move from there.").waitFor();
    await player.page.keyboard.press("Escape");
    await player.step(25, 22, 0);
  });

  test("in which the bot is lost lets it offer a gammon, which you accept", async () => {
    await sit("two");
    await player.button("Close").click();
    await player.beginFrom(await xgid({ 1: 4 }, { 13: 15 }, TO_FIVE));
    await player.button("Roll").click();
    await player.stage("moving").waitFor();
    await player.place(1).click();
    await player.page.locator('[data-point="0"][data-landing="true"]').click();
    await player.page.locator('.die[data-used="true"]').waitFor();
    await player.step(1, 0, 1);
    await player.button("Done").click();
    await player.button("Accept").click();
    await player.stage("over").waitFor();
    expect(await player.page.locator(".message").textContent()).toBe("You win a gammon by resignation: 2 points.");
  });

  test("in which your double is too early is beavered, and you play on", async () => {
    await sit("two");
    await player.begin("Expert", "Money");
    const money = { beavers: true, cube: CENTERED };
    await player.beginFrom(await xgid({ 6: 5, 8: 3, 13: 7 }, { 1: 5, 2: 5, 3: 5 }, money));
    await player.stage("cube").getByRole("button", { name: "Double" }).click();
    await player.button("Play on").click();
    await player.page.getByRole("button", { name: /stake 4, the opponent's/ }).waitFor();
  });
});

describe("a checker that is dragged", () => {
  test("goes where it is dropped, with both dice too, and back where it may not land", async () => {
    await sit("two");
    await player.begin("Medium", "3");
    await player.do({ kind: "throw" });
    await player.stage("moving").waitFor();
    const carry = async (from: number, to: number) => {
      const middle = async (point: number) => {
        const { x, y, width, height } = (await player.place(point).boundingBox()) ?? expect.unreachable();
        return [x + width / 2, y + height / 2] as const;
      };
      await player.page.mouse.move(...(await middle(from)));
      await player.page.mouse.down();
      await player.page.mouse.move(...(await middle(to)), { steps: 4 });
      await player.page.mouse.up();
    };
    await carry(13, 5);
    expect(await player.place(5).getAttribute("aria-label")).toBe("Point 5: empty");
    await carry(13, 6);
    await player.page.locator('.die[data-used="true"]').nth(1).waitFor();
    expect(await player.place(6).getAttribute("aria-label")).toMatch(/^Point 6: 6 of your checkers/);
  });
});

describe("after a game", () => {
  test("a blunder is found, with what was better", async () => {
    await sit("two");
    await player.button("Close").click();
    await player.beginFrom("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10");
    await player.step(6, 3, 0);
    await player.step(3, 2, 1);
    await player.button("Done").click();
    await player.stage("cube").waitFor();
    await player.button("Resign").click();
    await player.button("Lose a backgammon").click();
    await player.button("Analyse").click();
    const worst = player.page.locator(".errors li").first();
    await worst.waitFor();
    expect(await worst.getAttribute("data-size")).toBe("blunder");
    expect(await worst.textContent()).toMatch(/3-1 6\/2.*8\/5 6\/5/);
    await worst.getByRole("button").first().click();
    expect(await worst.locator(".checker").count()).toBe(30);
  });
});
