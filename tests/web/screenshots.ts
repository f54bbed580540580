/**
 * Takes the pictures of the board that the documentation shows.
 *
 *     npm run screenshots --workspace tests/web
 */

import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { PHONE, Player } from "./player.js";
import { browse, serve } from "./running.js";

const DOCS = fileURLToPath(new URL("../../docs", import.meta.url));
// An early fight for the points, and 6-2 can be played in many ways.
const XGID = "XGID=-b---BD-C---cD---cadAb--A-:1:-1:1:62:2:1:0:5:10";

async function take(browser: Browser, url: string, name: string, options: Parameters<typeof Player.sit>[2]) {
  const player = await Player.sit(browser, url, { reducedMotion: "reduce", ...options });
  await player.button("Close").click();
  await player.beginFrom(XGID);
  await player.stage("moving").waitFor();
  await player.button("Hint").click();
  await player.page.locator(".plays li").first().waitFor();
  await player.place(24).click();
  await player.page.locator('[data-landing="true"]').nth(1).waitFor();
  await player.page.locator(`.chances-bar[data-known="true"]`).waitFor();
  await player.page.screenshot({ path: `${DOCS}/board-${name}.png` });
  await player.page.context().close();
}

const running = await serve();
const browser = await browse();
await take(browser, running.url, "desktop", { viewport: { width: 1100, height: 740 }, colorScheme: "light" });
await take(browser, running.url, "phone", { viewport: PHONE, colorScheme: "dark" });
await browser.close();
await running.stop();
