/** The contract is exported whole. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("v1 exports every generated file", () => {
  const generated = readdirSync(new URL("../src/generated/bgbot/v1", import.meta.url)).sort();
  const exported = readFileSync(new URL("../src/v1.ts", import.meta.url), "utf8").matchAll(/v1\/(\w+_pb)\.js/g);
  expect([...exported].map(([, name]) => `${name}.ts`)).toEqual(generated);
});
