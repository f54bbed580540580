/** Somebody who plays at the page by clicks, and hears what it says. */

import { CubeAction } from "bgbot/v1";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { Deed } from "./course.js";

export const DESKTOP = { width: 1280, height: 860 };
export const PHONE = { width: 375, height: 740 };

const BAR = 25;
const ACTIONS: Partial<Record<CubeAction, string>> = {
  [CubeAction.ROLL]: "Roll",
  [CubeAction.DOUBLE]: "Double",
  [CubeAction.TAKE]: "Take",
  [CubeAction.PASS]: "Pass",
};

export class Player {
  readonly page: Page;
  /** Errors of the page, of which there are to be none. */
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && this.complaints.push(message.text()));
  }

  /** Opens the page as somebody who has not been there. */
  static async sit(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Player> {
    const context = await browser.newContext({ viewport: DESKTOP, ...options });
    await context.addInitScript(listen);
    context.setDefaultTimeout(20_000);
    const player = new Player(await context.newPage());
    await player.page.goto(address);
    return player;
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  stage(name: string): Locator {
    return this.page.locator(`.actions[data-stage="${name}"]`);
  }

  place(point: number): Locator {
    return this.page.locator(`[data-point="${point}"]`);
  }

  /** Chooses the fastest pace, and comes back. */
  async hurry(): Promise<void> {
    await this.page.getByRole("button", { name: "Close" }).click();
    await this.button("Settings").click();
    await this.page.getByRole("radio", { name: "Instant" }).check();
    await this.page.getByRole("button", { name: "Close" }).click();
    await this.button("New").click();
  }

  async begin(title: string, length: string): Promise<void> {
    await this.page.getByRole("radio", { name: new RegExp(`^${title}`) }).check();
    await this.page.getByRole("radio", { name: length, exact: true }).check();
    await this.button("Play").click();
    await this.stage("opening").waitFor();
  }

  /** Plays a position instead of a game from its start. */
  async beginFrom(xgid: string): Promise<void> {
    await this.button("Position").click();
    await this.page.getByRole("textbox", { name: /^Play from a position/ }).fill(xgid);
    await this.button("Play from here").click();
    await this.page.locator("dialog").waitFor({ state: "detached" });
  }

  async do(deed: Deed): Promise<void> {
    switch (deed.kind) {
      case "throw":
        await this.stage("opening").getByRole("button", { name: "Throw the dice" }).click();
        break;
      case "next":
        await this.stage("over").getByRole("button", { name: "Next game" }).click();
        break;
      case "refuse":
        await this.stage("resignation").getByRole("button", { name: "Play on" }).click();
        break;
      case "cube":
        await this.stage("cube")
          .getByRole("button", { name: ACTIONS[deed.action] ?? "", exact: true })
          .click();
        break;
      case "play":
        await this.stage("moving").waitFor();
        for (const [number, { from, to }] of deed.steps.entries()) {
          await this.step(from, to, number);
        }
        await this.stage("moving").locator(".main:enabled").click();
        break;
    }
  }

  /** Taps a checker and its landing spot, as the turn's step of this number; what is on the bar is in the hand already. */
  async step(from: number, to: number, number: number): Promise<void> {
    if (from !== BAR) {
      await this.page.locator(`[data-point="${from}"][aria-label*="can move"]`).click();
    }
    await this.page.locator(`[data-point="${to}"][data-landing="true"]`).click();
    await this.page.locator('.die[data-used="true"]').nth(number).waitFor();
  }

  /** Gives everything the page has said so far. */
  heard(): Promise<readonly string[]> {
    return this.page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard);
  }
}

/** Runs in the page: writes down whatever the live region says. */
function listen(): void {
  const heard: string[] = [];
  Object.assign(globalThis, { heard });
  new MutationObserver(() => {
    const said = document.querySelector(".message")?.textContent ?? "";
    if (said !== "" && heard.at(-1) !== said) {
      heard.push(said);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
}
