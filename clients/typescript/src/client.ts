/** The services of a daemon, over any transport. */

import { createClient, type Client as ServiceClient, type Transport } from "@connectrpc/connect";
import { BotService } from "./generated/bgbot/v1/bot_service_pb.js";
import { BulkService } from "./generated/bgbot/v1/bulk_service_pb.js";
import { DiceService } from "./generated/bgbot/v1/dice_service_pb.js";
import { EvaluationService } from "./generated/bgbot/v1/evaluation_service_pb.js";
import { RulesService } from "./generated/bgbot/v1/rules_service_pb.js";
import { type CallDefaults, withCallDefaults } from "./transport.js";

/** What every way to a daemon offers; each attribute is a service. */
export interface Client {
  readonly rules: ServiceClient<typeof RulesService>;
  readonly bots: ServiceClient<typeof BotService>;
  readonly evaluation: ServiceClient<typeof EvaluationService>;
  readonly dice: ServiceClient<typeof DiceService>;
}

/** A client over HTTP/2, which carries streams in both directions. */
export interface StreamingClient extends Client {
  readonly bulk: ServiceClient<typeof BulkService>;
}

/** Gives the services over a transport of your own; `bgbot/node` and `bgbot/web` bring theirs. */
export function clientOver(transport: Transport, defaults: CallDefaults = {}): Client {
  const withDefaults = withCallDefaults(transport, defaults);
  return {
    rules: createClient(RulesService, withDefaults),
    bots: createClient(BotService, withDefaults),
    evaluation: createClient(EvaluationService, withDefaults),
    dice: createClient(DiceService, withDefaults),
  };
}

/** Gives the services over a transport that carries streams in both directions. */
export function streamingClientOver(transport: Transport, defaults: CallDefaults = {}): StreamingClient {
  const bulk = createClient(BulkService, withCallDefaults(transport, defaults));
  return { ...clientOver(transport, defaults), bulk };
}
