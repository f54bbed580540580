#include "bgbot/error.h"

#include <array>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace bgbot {
namespace {

// In the order of their numbers.
constexpr std::array<const char*, 17> kCodes = {
    "OK",        "CANCELLED",           "UNKNOWN",   "INVALID_ARGUMENT",  "DEADLINE_EXCEEDED",   "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
    "UNIMPLEMENTED", "INTERNAL",        "UNAVAILABLE", "DATA_LOSS",       "UNAUTHENTICATED"};

std::string message(const grpc::Status& status) {
  const auto code = static_cast<std::size_t>(status.error_code());
  return std::string(code < kCodes.size() ? kCodes[code] : "UNKNOWN") + ": " + status.error_message();
}

}  // namespace

Error::Error(const grpc::Status& status, const grpc::ClientContext& context)
    : std::runtime_error(message(status)), status_(status) {
  const auto& trailer = context.GetServerTrailingMetadata();
  if (const auto id = trailer.find("x-request-id"); id != trailer.end()) {
    request_id_.assign(id->second.data(), id->second.size());
  }
  google::rpc::Status said;
  if (!said.ParseFromString(status.error_details())) return;  // from some proxy; the status itself counts
  for (const auto& packed : said.details()) {
    google::rpc::ErrorInfo reason;
    google::rpc::RetryInfo retry;
    google::rpc::BadRequest refused;
    if (packed.UnpackTo(&reason)) {
      reason_ = reason.reason();
    } else if (packed.UnpackTo(&retry)) {
      retry_after_ = std::chrono::seconds(retry.retry_delay().seconds()) +
                     std::chrono::nanoseconds(retry.retry_delay().nanos());
    } else if (packed.UnpackTo(&refused)) {
      for (const auto& one : refused.field_violations()) {
        violations_.push_back({one.field(), one.description(), one.reason()});
      }
    }
  }
}

void check(const grpc::Status& status, const grpc::ClientContext& context) {
  if (!status.ok()) throw Error(status, context);
}

}  // namespace bgbot
