/** Your hand: which checker you hold, and where it may land. */

import type { Step } from "bgbot/v1";
import { useEffect, useState } from "preact/hooks";
import { currentGame, type Turn } from "../game/state.js";
import type { Table } from "../game/table.js";
import { waysFrom } from "../game/turn.js";
import { YOUR_BAR } from "./geometry.js";

interface Held {
  /** The turn it was taken up in; after that it is laid down. */
  readonly turn: Turn;
  readonly from: number;
  readonly ways: ReadonlyMap<number, readonly Step[]>;
}

const NOTHING: ReadonlySet<number> = new Set();

export function usePlay(table: Table) {
  const { stage, match } = table.state;
  // What is touched before the daemon has answered a step would be lost: it cannot be touched.
  const [spent, spend] = useState<Turn>();
  const turn = stage.name === "moving" && stage.turn !== spent ? stage.turn : undefined;
  const [held, hold] = useState<Held>();
  const holding = held && held.turn === turn ? held : undefined;
  useEffect(() => {
    // What waits on the bar has to move first: it is taken up by itself.
    if (turn?.steps.some(({ from }) => from === YOUR_BAR)) {
      void take(YOUR_BAR);
    }
  }, [turn]);

  async function take(from: number): Promise<Held | undefined> {
    const at = match && currentGame(match).at;
    if (!turn || !at?.dice || !turn.steps.some((step) => step.from === from)) {
      return undefined;
    }
    const single = new Map(turn.steps.filter((step) => step.from === from).map((step) => [step.to, [step] as const]));
    hold({ turn, from, ways: single });
    const all = { turn, from, ways: await waysFrom(from, at.position, at.dice, turn).catch(() => single) };
    hold((now) => (now?.turn === turn && now.from === from ? all : now));
    return all;
  }

  /** What waits on the bar stays in the hand: nothing else may move. */
  function layDown(): void {
    if (holding?.from !== YOUR_BAR) {
      hold(undefined);
    }
  }

  function go(by: Held, to: number): boolean {
    const way = by.ways.get(to);
    if (way) {
      hold(undefined);
      spend(by.turn);
      table.act({ kind: "steps", played: [...by.turn.played, ...way] });
    }
    return way !== undefined;
  }

  return {
    sources: turn ? new Set(turn.steps.map(({ from }) => from)) : NOTHING,
    selected: holding?.from,
    landings: holding ? new Set(holding.ways.keys()) : NOTHING,
    onTouch: (point: number) => {
      if (!turn || (holding && go(holding, point))) {
        return;
      }
      if (holding?.from === point) {
        // Touched twice, it goes where it can only go.
        const [only, ...others] = turn.steps.filter((step) => step.from === point);
        if (!only || others.length > 0 || !go(holding, only.to)) {
          layDown();
        }
      } else if (turn.steps.some(({ from }) => from === point)) {
        void take(point);
      } else {
        layDown();
        if (turn.steps.length > 0) {
          table.say("Nothing can move from there.");
        }
      }
    },
    onLift: (from: number) => {
      if (holding?.from !== from) {
        void take(from);
      }
    },
    onDrop: async (from: number, to: number) => {
      const taken = holding?.from === from ? holding : await take(from);
      if (taken && !go(taken, to)) {
        const all = await take(from);
        if (all) {
          go(all, to);
        }
      }
    },
    onCancel: layDown,
  };
}
