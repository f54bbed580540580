#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>

namespace bgbot {

// One thing that is wrong with a request.
struct Violation {
  std::string field;        // path in the request, such as position.position.player.points[5]
  std::string description;  // what was found there and what would have been right
  std::string reason;       // name of a v1::ErrorReason without its prefix; empty where none is said
};

// A call that failed, refused by the daemon or lost on the way to it.
class Error : public std::runtime_error {
 public:
  Error(const grpc::Status& status, const grpc::ClientContext& context);

  // The status with its details as gRPC gives it; code, message and bytes.
  const grpc::Status& status() const { return status_; }
  grpc::StatusCode code() const { return status_.error_code(); }
  // Name of a v1::ErrorReason without its prefix; empty when the answer is not the daemon's own.
  const std::string& reason() const { return reason_; }
  // Everything that is wrong with the request; empty unless it was refused as invalid.
  const std::vector<Violation>& violations() const { return violations_; }
  // Finds the call in the daemon's log; empty where the daemon was not reached.
  const std::string& request_id() const { return request_id_; }
  // How long to wait before trying again, where the daemon says it.
  std::optional<std::chrono::nanoseconds> retry_after() const { return retry_after_; }

 private:
  grpc::Status status_;
  std::string reason_;
  std::vector<Violation> violations_;
  std::string request_id_;
  std::optional<std::chrono::nanoseconds> retry_after_;
};

// Throws Error unless the call has ended well. For streams, whose Finish() gives the status.
void check(const grpc::Status& status, const grpc::ClientContext& context);

}  // namespace bgbot
