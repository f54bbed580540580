/** The example and the README run against a live daemon. */

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const TSX = fileURLToPath(new URL("../../../node_modules/.bin/tsx", import.meta.url));
const README = readFileSync(`${PACKAGE}/README.md`, "utf8");
const BLOCKS = [...README.matchAll(/```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)].map(([, code, output]) => [
  code,
  output,
]);

test("a whole game is played to its end", async () => {
  const { stdout } = await run(TSX, ["examples/play-game.ts", inject("address")], { cwd: PACKAGE });
  expect(stdout).toMatch(/^(you|MEDIUM) won a .*, points: \d+, .*, match to 5$/m);
});

test("the README has examples", () => {
  expect(BLOCKS.length).toBe(3);
});

test.each(BLOCKS)("the README's example prints what it says: %#", async (code = "", output) => {
  const folder = mkdtempSync(`${PACKAGE}/tests/readme-`);
  try {
    writeFileSync(`${folder}/example.ts`, code.replaceAll("127.0.0.1:50051", inject("address")));
    const { stdout } = await run(TSX, [`${folder}/example.ts`], { cwd: PACKAGE });
    expect(stdout).toBe(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
