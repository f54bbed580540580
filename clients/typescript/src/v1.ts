/** The contract `bgbot.v1`: messages, enums and services, described as in the `.proto` files. */

export * from "./generated/bgbot/v1/bot_service_pb.js";
export * from "./generated/bgbot/v1/bulk_service_pb.js";
export * from "./generated/bgbot/v1/dice_service_pb.js";
export * from "./generated/bgbot/v1/error_reason_pb.js";
export * from "./generated/bgbot/v1/evaluation_service_pb.js";
export * from "./generated/bgbot/v1/level_pb.js";
export * from "./generated/bgbot/v1/match_pb.js";
export * from "./generated/bgbot/v1/position_pb.js";
export * from "./generated/bgbot/v1/rules_service_pb.js";
export * from "./generated/bgbot/v1/stamp_pb.js";
