/** Refusals of the daemon are read to the last detail. */

import { Code } from "@connectrpc/connect";
import { afterAll, expect, inject, test } from "vitest";
import { BgbotError, positionSource } from "../src/index.js";
import { connect } from "../src/node.js";

const client = connect(inject("address"));
afterAll(() => client.close());

async function refusal(call: Promise<unknown>): Promise<BgbotError> {
  return call.then(
    () => expect.unreachable("the call was answered"),
    (thrown) => thrown,
  );
}

test("every wrong field is named with what is allowed", async () => {
  const error = await refusal(
    client.rules.listLegalPlays(
      { position: positionSource(), dice: { die1: 7, die2: -1 } },
      { headers: { "x-request-id": "mine" } },
    ),
  );
  expect(error).toBeInstanceOf(BgbotError);
  expect(error).toMatchObject({ code: Code.InvalidArgument, requestId: "mine" });
  expect(error.violations).toEqual([
    { field: "dice.die1", description: "die of 7; allowed: 1 to 6", reason: "DIE_OUT_OF_RANGE" },
    { field: "dice.die2", description: "die of -1; allowed: 1 to 6", reason: "DIE_OUT_OF_RANGE" },
  ]);
  expect(error.reason).toBe("DIE_OUT_OF_RANGE");
  expect(error.message).toMatch(/^InvalidArgument: /);
});

test("a refused stream throws the same error", async () => {
  const stream = client.evaluation.rollout({ position: positionSource(), settings: { trials: -1 } });
  const error = await refusal(
    (async () => {
      for await (const _state of stream);
    })(),
  );
  expect(error).toMatchObject({ name: "BgbotError", violations: [{ field: "settings.trials" }] });
});
