/** The way of browsers: the same answers and errors by gRPC-Web. */

import { Code } from "@connectrpc/connect";
import { expect, inject, test } from "vitest";
import { positionSource } from "../src/index.js";
import { connect } from "../src/web.js";

const client = connect(inject("web"));
const START = { position: positionSource(), settings: { trials: 36, truncateAfterPlies: 2, seed: 1n } };

test("a call is answered", async () => {
  const { plays } = await client.rules.listLegalPlays({ position: positionSource(), dice: { die1: 3, die2: 1 } });
  expect(plays.length).toBe(16);
});

test("a refusal keeps its details", async () => {
  const refused = client.rules.listLegalPlays({ position: positionSource(), dice: { die1: 7, die2: 1 } });
  await expect(refused).rejects.toMatchObject({
    name: "BgbotError",
    code: Code.InvalidArgument,
    violations: [{ field: "dice.die1", reason: "DIE_OUT_OF_RANGE" }],
  });
});

test("a rollout is streamed to its end", async () => {
  let finished = false;
  for await (const progress of client.evaluation.rollout(START)) {
    finished = progress.finished;
  }
  expect(finished).toBe(true);
});

test("where nobody listens the daemon is unavailable, as everywhere", async () => {
  const nobody = connect("http://127.0.0.1:1").bots.listBots({});
  await expect(nobody).rejects.toMatchObject({ code: Code.Unavailable, explanation: "the daemon cannot be reached" });
});
