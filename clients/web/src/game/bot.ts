/**
 * What the bot decides. It is asked about dice only after they were thrown.
 *
 * Where the daemon has no engine the bot neither doubles nor offers to lose, takes every double, and accepts
 * whatever you offer.
 */

import { positionSource } from "bgbot";
import {
  CubeAction,
  Decision,
  type Dice,
  type Play,
  ResignationAction,
  ResignationDecision,
  type ResultKind,
} from "bgbot/v1";
import { daemon, lacksEngine } from "../daemon.js";
import { flipped, flippedMatch } from "./sides.js";
import type { Agreement, Moment } from "./state.js";

export async function choosePlay({ level }: Agreement, { position, match }: Moment, dice: Dice): Promise<Play> {
  const { play } = await daemon.bots.choosePlay({ position: positionSource(position), match, dice, level });
  if (!play) {
    throw new Error("an answer holds a play");
  }
  return play;
}

export async function chooseCubeAction({ level }: Agreement, at: Moment): Promise<CubeAction> {
  const { position, match, decision } = at;
  const asked = daemon.bots.chooseCubeAction({ position: positionSource(position), match, decision, level });
  const otherwise = decision === Decision.DOUBLE_OR_ROLL ? CubeAction.ROLL : CubeAction.TAKE;
  return (await orWithoutEngine(asked, { action: otherwise })).action;
}

/** What the bot offers to lose before its roll; nothing when it plays on. */
export async function offersToLose({ level }: Agreement, { position, match }: Moment): Promise<ResultKind | undefined> {
  const asked = daemon.bots.chooseResignation({
    position: positionSource(position),
    match,
    level,
    decision: ResignationDecision.OFFER_OR_PLAY,
  });
  const { action, offer } = await orWithoutEngine(asked, { action: ResignationAction.PLAY_ON, offer: 0 });
  return action === ResignationAction.OFFER ? offer : undefined;
}

/** Whether the bot accepts what you offer to lose; `at` is your own decision. */
export async function acceptsYourLoss({ level }: Agreement, at: Moment, offered: ResultKind): Promise<boolean> {
  const asked = daemon.bots.chooseResignation({
    position: positionSource(flipped(at.position)),
    match: flippedMatch(at.match),
    level,
    decision: ResignationDecision.ACCEPT_OR_REFUSE,
    offered,
  });
  return (await orWithoutEngine(asked, { action: ResignationAction.ACCEPT })).action === ResignationAction.ACCEPT;
}

/** Gives the answer, or what stands for it where the daemon has no engine. */
async function orWithoutEngine<Answer, Needed extends Partial<Answer>>(
  asked: Promise<Answer>,
  otherwise: Needed,
): Promise<Answer | Needed> {
  try {
    return await asked;
  } catch (thrown) {
    if (lacksEngine(thrown)) {
      return otherwise;
    }
    throw thrown;
  }
}
