/** Every service answers over HTTP/2, with deadlines, retries and tokens. */

import { type AddressInfo, createServer } from "node:net";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport, type HandlerContext } from "@connectrpc/connect";
import { afterAll, describe, expect, inject, test } from "vitest";
import { type BgbotError, clientOver, positionSource } from "../src/index.js";
import { connect } from "../src/node.js";
import { BulkRequestSchema, Depth, Level, RulesService } from "../src/v1.js";

const client = connect(inject("address"));
afterAll(() => client.close());

describe("a live daemon", () => {
  test("chooses the best known opening", async () => {
    const answer = await client.bots.choosePlay({
      position: positionSource(),
      dice: { die1: 3, die2: 1 },
      level: Level.HARD,
    });
    expect(answer.play?.notation).toBe("8/5 6/5");
  });

  test("streams a rollout to its end", async () => {
    const states = [];
    const settings = { trials: 36, truncateAfterPlies: 2, seed: 1n };
    for await (const state of client.evaluation.rollout({ position: positionSource(), settings })) {
      states.push(state);
    }
    expect(states.map((state) => state.finished).slice(-1)).toEqual([true]);
  });

  test("answers many requests on one stream, each under its id", async () => {
    async function* requests() {
      const items = [7n, 8n, 9n].map((id, index) => ({
        id,
        request: {
          case: "listLegalPlays" as const,
          value: { position: positionSource(), dice: { die1: index + 1, die2: index + 6 } },
        },
      }));
      yield create(BulkRequestSchema, { items });
    }
    const results = new Map<bigint, string | undefined>();
    for await (const { results: some } of client.bulk.process(requests())) {
      for (const { id, result } of some) {
        results.set(id, result.case);
      }
    }
    expect(results).toEqual(
      new Map([
        [7n, "listLegalPlays"],
        [8n, "error"],
        [9n, "error"],
      ]),
    );
  });

  test("stops at the caller's deadline", async () => {
    const slow = client.evaluation.evaluate({ position: positionSource(), depth: Depth.PLY4 }, { timeoutMs: 20 });
    await expect(slow).rejects.toMatchObject({ code: Code.DeadlineExceeded });
  });
});

describe("calls", () => {
  const answering = (listLegalPlays: (context: HandlerContext) => object) =>
    createRouterTransport(({ service }) => {
      service(RulesService, { listLegalPlays: (_request, context) => listLegalPlays(context) });
    });
  const unavailable = () => new ConnectError("draining", Code.Unavailable);

  test("are tried again while the daemon is unavailable", async () => {
    let attempts = 0;
    const transport = answering(() => {
      attempts += 1;
      if (attempts < 4) {
        throw unavailable();
      }
      return { dicePlayed: 2 };
    });
    expect(await clientOver(transport).rules.listLegalPlays({})).toMatchObject({ dicePlayed: 2 });
  });

  test("fail after the fourth attempt", async () => {
    let attempts = 0;
    const transport = answering(() => {
      attempts += 1;
      throw unavailable();
    });
    await expect(clientOver(transport).rules.listLegalPlays({})).rejects.toMatchObject({ code: Code.Unavailable });
    expect(attempts).toBe(4);
  });

  test("are tried once when they are refused", async () => {
    let attempts = 0;
    const transport = answering(() => {
      attempts += 1;
      throw new ConnectError("no", Code.InvalidArgument);
    });
    await expect(clientOver(transport).rules.listLegalPlays({})).rejects.toMatchObject({ explanation: "no" });
    expect(attempts).toBe(1);
  });

  test("end when their caller gives up between two attempts", async () => {
    const transport = answering(() => {
      throw unavailable();
    });
    const giveUp = new AbortController();
    const call = clientOver(transport).rules.listLegalPlays({}, { signal: giveUp.signal });
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ name: "BgbotError" });
  });

  test("have a deadline and carry the token", async () => {
    const seen: [number | undefined, string | null][] = [];
    const transport = answering((context) => {
      seen.push([context.timeoutMs(), context.requestHeader.get("authorization")]);
      return {};
    });
    await clientOver(transport, { timeoutMs: 5000, token: "secret" }).rules.listLegalPlays({});
    expect(seen).toEqual([[expect.closeTo(5000, -3), "Bearer secret"]]);
  });

  test("are tried again when the connection breaks", async () => {
    let connections = 0;
    const breaking = createServer((socket) => {
      connections += 1;
      socket.once("data", () => socket.resetAndDestroy());
    });
    await new Promise<void>((resolve) => breaking.listen(0, "127.0.0.1", resolve));
    const { port } = breaking.address() as AddressInfo;
    const broken = connect(`127.0.0.1:${port}`);
    await expect(broken.bots.listBots({})).rejects.toMatchObject({ code: Code.Unavailable });
    expect(connections).toBe(4);
    broken.close();
    breaking.close();
  });

  test("say UNAVAILABLE when nobody listens", async () => {
    const nobody = connect("127.0.0.1:1");
    const error: BgbotError = await nobody.bots.listBots({}).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "BgbotError", code: Code.Unavailable, reason: "", requestId: "" });
    nobody.close();
  });
});
