/** Asks the daemon on 127.0.0.1:50051 for Hard's play of an opening 3-1. */

import { BgbotError, positionSource } from "bgbot";
import { connect } from "bgbot/node";
import { Level } from "bgbot/v1";

const client = connect("127.0.0.1:50051");
try {
  const dice = { die1: 3, die2: 1 };
  const { play } = await client.bots.choosePlay({ position: positionSource(), dice, level: Level.HARD });
  console.log(play?.notation);
} catch (error) {
  if (!(error instanceof BgbotError)) throw error;
  for (const { field, description } of error.violations) console.error(`${field}: ${description}`);
  console.error(error.message);
  process.exitCode = 1;
} finally {
  client.close();
}
