#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <grpcpp/grpcpp.h>

#include "bgbot/error.h"
#include "bgbot/v1/bot_service.grpc.pb.h"
#include "bgbot/v1/bulk_service.grpc.pb.h"
#include "bgbot/v1/dice_service.grpc.pb.h"
#include "bgbot/v1/error_reason.pb.h"
#include "bgbot/v1/evaluation_service.grpc.pb.h"
#include "bgbot/v1/rules_service.grpc.pb.h"

namespace bgbot {

// The services, for the names of their methods: &Rules::ApplyPlay.
using Rules = v1::RulesService::StubInterface;
using Bots = v1::BotService::StubInterface;
using Evaluation = v1::EvaluationService::StubInterface;
using Bulk = v1::BulkService::StubInterface;
using Dice = v1::DiceService::StubInterface;

struct Options {
  // For TLS, from grpc::SslCredentials. Without it the connection is plain.
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  // Sent with every call as a bearer token unless empty. On a plain connection anyone on the way can
  // read it.
  std::string token;
  // How long a unary call may take when it says nothing else. Streams take as long as they need.
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
};

// A connection to a daemon. Threads may share it.
class Client {
 public:
  // Opens a channel to HOST:PORT, or to any other name that gRPC resolves; it connects with the first
  // call.
  explicit Client(const std::string& address = "127.0.0.1:50051", Options options = {});

  // Calls a unary method: client.call(&bgbot::Bots::ChoosePlay, request). Throws Error.
  template <typename Service, typename Request, typename Response>
  Response call(grpc::Status (Service::*method)(grpc::ClientContext*, const Request&, Response*),
                const Request& request, std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
    grpc::ClientContext context;
    prepare(context);
    context.set_deadline(std::chrono::system_clock::now() + timeout.value_or(options_.timeout));
    Response response;
    check((stub<Service>().*method)(&context, request, &response), context);
    return response;
  }

  // Gives the generated stub of a service, for streams and calls without waiting: client.stub<bgbot::Bulk>().
  template <typename Service>
  Service& stub() {
    return *std::get<std::unique_ptr<Service>>(stubs_);
  }

  // Puts the token into the context of a call that is made on a stub.
  void prepare(grpc::ClientContext& context) const;

 private:
  template <typename Service>
  using Stub = std::unique_ptr<Service>;

  Options options_;
  std::tuple<Stub<Rules>, Stub<Bots>, Stub<Evaluation>, Stub<Bulk>, Stub<Dice>> stubs_;
};

}  // namespace bgbot
