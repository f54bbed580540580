/** A position is recognised by its form. */

import { afterAll, expect, inject, test } from "vitest";
import { positionSource, startingPosition } from "../src/index.js";
import { connect } from "../src/node.js";

const client = connect(inject("address"));
afterAll(() => client.close());

const XGID = "-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10";

test.each([
  ["XGID with its prefix", `XGID=${XGID}`],
  ["XGID without its prefix", XGID],
  ["Position ID", "4HPwATDgc/ABMA"],
  ["Position ID and Match ID", "4HPwATDgc/ABMA:cAkAAAAAAAAA"],
])("the start of a game is the same as %s", async (_form, id) => {
  const { position } = await client.rules.convertPosition({ position: positionSource(id) });
  expect(position).toEqual(startingPosition());
});

test("without a source it is the start of a game", () => {
  expect(positionSource()).toEqual(positionSource(startingPosition()));
});
