/** What the bot decides. It is asked about dice only after they were thrown. */

import { positionSource } from "bgbot";
import {
  type CubeAction,
  type Dice,
  type Play,
  ResignationAction,
  ResignationDecision,
  type ResultKind,
} from "bgbot/v1";
import { daemon } from "../daemon.js";
import { flipped, flippedMatch } from "./sides.js";
import type { Agreement, Moment } from "./state.js";

export async function choosePlay({ level }: Agreement, at: Moment, dice: Dice): Promise<Play> {
  const { play } = await daemon.bots.choosePlay({
    position: positionSource(at.position),
    match: at.match,
    dice,
    level,
  });
  if (!play) {
    throw new Error("an answer holds a play");
  }
  return play;
}

export async function chooseCubeAction({ level }: Agreement, at: Moment): Promise<CubeAction> {
  const { position, match, decision } = at;
  const { action } = await daemon.bots.chooseCubeAction({ position: positionSource(position), match, decision, level });
  return action;
}

/** What the bot offers to lose before its roll; nothing when it plays on. */
export async function offersToLose({ level }: Agreement, { position, match }: Moment): Promise<ResultKind | undefined> {
  const { action, offer } = await daemon.bots.chooseResignation({
    position: positionSource(position),
    match,
    level,
    decision: ResignationDecision.OFFER_OR_PLAY,
  });
  return action === ResignationAction.OFFER ? offer : undefined;
}

/** Whether the bot accepts what you offer to lose; `at` is your own decision. */
export async function acceptsYourLoss({ level }: Agreement, at: Moment, offered: ResultKind): Promise<boolean> {
  const { action } = await daemon.bots.chooseResignation({
    position: positionSource(flipped(at.position)),
    match: flippedMatch(at.match),
    level,
    decision: ResignationDecision.ACCEPT_OR_REFUSE,
    offered,
  });
  return action === ResignationAction.ACCEPT;
}
