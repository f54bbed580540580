/** Makes one call and says what comes of it: probe ADDRESS pips|rollout|bulk ID SECONDS TOKEN ROOTS. */

import { readFileSync } from "node:fs";
import { BgbotError, drawBoard, positionSource } from "bgbot";
import { connect } from "bgbot/node";

const [address = "", method, id, seconds, token, roots] = process.argv.slice(2);
const client = connect(address, {
  ...(seconds && { timeoutMs: 1000 * Number(seconds) }),
  ...(token && { token }),
  ...(roots && { tls: { ca: readFileSync(roots) } }),
});
const position = id ? positionSource(id) : positionSource();

async function* requests() {
  yield { items: [{ id: 7n, request: { case: "countPips" as const, value: { position } } }] };
}

try {
  if (method === "pips") {
    const count = await client.evaluation.countPips({ position });
    console.log(`pips ${count.playerPips} ${count.opponentPips}`);
    if (count.position) {
      console.log(drawBoard(count.position));
    }
  } else if (method === "bulk") {
    for await (const { results } of client.bulk.process(requests())) {
      for (const { id: answered, result } of results) {
        console.log(`bulk ${answered} ${result.case === "countPips" ? result.value.playerPips : result.case}`);
      }
    }
  } else {
    for await (const progress of client.evaluation.rollout({ position })) {
      console.log(`trials ${progress.trialsDone}`);
    }
  }
} catch (error) {
  if (!(error instanceof BgbotError)) {
    throw error;
  }
  console.log(`error ${error.message}\ncode ${error.code}\nreason ${error.reason}`);
  for (const { field, description } of error.violations) {
    console.log(`violation ${field}|${description}`);
  }
  console.log(`request ${error.requestId}\nretry ${error.retryAfterMs ?? 0}`);
} finally {
  client.close();
}
