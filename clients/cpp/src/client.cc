#include "bgbot/client.h"

#include <utility>

namespace bgbot {
namespace {

// Every method but the two streams may be sent twice without harm. UNAVAILABLE says that the daemon was
// not reached or is draining, so that another try reaches its successor.
constexpr char kServiceConfig[] = R"json({"methodConfig": [
  {
    "name": [
      {"service": "bgbot.v1.RulesService"},
      {"service": "bgbot.v1.BotService"},
      {"service": "bgbot.v1.EvaluationService"},
      {"service": "bgbot.v1.DiceService"}
    ],
    "retryPolicy": {
      "maxAttempts": 4,
      "initialBackoff": "0.1s",
      "maxBackoff": "1s",
      "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"]
    }
  },
  {"name": [{"service": "bgbot.v1.EvaluationService", "method": "Rollout"}]}
]})json";

std::shared_ptr<grpc::Channel> open(const std::string& address, const Options& options) {
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON(kServiceConfig);
  // The daemon closes connections that ping more often than every 30 seconds.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  return grpc::CreateCustomChannel(address, options.credentials, arguments);
}

}  // namespace

Client::Client(const std::string& address, Options options) : options_(std::move(options)) {
  const auto channel = open(address, options_);
  stubs_ = {v1::RulesService::NewStub(channel), v1::BotService::NewStub(channel),
            v1::EvaluationService::NewStub(channel), v1::BulkService::NewStub(channel),
            v1::DiceService::NewStub(channel)};
}

void Client::prepare(grpc::ClientContext& context) const {
  if (!options_.token.empty()) context.AddMetadata("authorization", "Bearer " + options_.token);
}

}  // namespace bgbot
