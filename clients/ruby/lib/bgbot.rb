# frozen_string_literal: true

# A thin client of the backgammon daemon bgbotd. Bgbot::Client opens a channel and hands out the
# generated stubs; Bgbot::V1 holds the contract's messages. Every failed call raises Bgbot::Error.
module Bgbot
end

require "bgbot/v1/bot_service_services_pb"
require "bgbot/v1/bulk_service_services_pb"
require "bgbot/v1/dice_service_services_pb"
require "bgbot/v1/error_reason_pb"
require "bgbot/v1/evaluation_service_services_pb"
require "bgbot/v1/rules_service_services_pb"

require "bgbot/board"
require "bgbot/calls"
require "bgbot/client"
require "bgbot/error"
require "bgbot/position"
