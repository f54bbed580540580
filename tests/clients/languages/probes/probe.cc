// Makes one call and says what comes of it: probe ADDRESS pips|rollout|bulk ID SECONDS TOKEN ROOTS.
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <bgbot/bgbot.h>

namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void pips(bgbot::Client& client, const bgbot::v1::PositionSource& source) {
  bgbot::v1::CountPipsRequest request;
  *request.mutable_position() = source;
  const auto count = client.call(&bgbot::Evaluation::CountPips, request);
  std::cout << "pips " << count.player_pips() << " " << count.opponent_pips() << "\n";
  if (count.has_position()) std::cout << bgbot::draw_board(count.position()) << "\n";
}

void rollout(bgbot::Client& client, const bgbot::v1::PositionSource& source) {
  bgbot::v1::RolloutRequest request;
  *request.mutable_position() = source;
  grpc::ClientContext context;
  client.prepare(context);
  const auto stream = client.stub<bgbot::Evaluation>().Rollout(&context, request);
  for (bgbot::v1::RolloutResponse progress; stream->Read(&progress);) {
    std::cout << "trials " << progress.trials_done() << "\n";
  }
  bgbot::check(stream->Finish(), context);
}

void bulk(bgbot::Client& client, const bgbot::v1::PositionSource& source) {
  bgbot::v1::BulkRequest request;
  auto* item = request.add_items();
  item->set_id(7);
  *item->mutable_count_pips()->mutable_position() = source;
  grpc::ClientContext context;
  client.prepare(context);
  const auto stream = client.stub<bgbot::Bulk>().Process(&context);
  stream->Write(request);
  stream->WritesDone();
  for (bgbot::v1::BulkResponse response; stream->Read(&response);) {
    for (const auto& result : response.results()) {
      std::cout << "bulk " << result.id() << " " << result.count_pips().player_pips() << "\n";
    }
  }
  bgbot::check(stream->Finish(), context);
}

}  // namespace

int main(int, char** words) {
  bgbot::Options options;
  const std::string address = words[1], method = words[2], id = words[3], seconds = words[4], roots = words[6];
  if (!seconds.empty()) options.timeout = std::chrono::milliseconds(static_cast<long>(1000 * std::stod(seconds)));
  options.token = words[5];
  if (!roots.empty()) options.credentials = grpc::SslCredentials({text_of(roots), "", ""});
  bgbot::Client client(address, options);
  const auto source =
      id.empty() ? bgbot::position_source(bgbot::starting_position()) : bgbot::position_source(id);
  try {
    method == "pips" ? pips(client, source) : method == "bulk" ? bulk(client, source) : rollout(client, source);
  } catch (const bgbot::Error& failed) {
    std::cout << "error " << failed.what() << "\ncode " << failed.code() << "\nreason " << failed.reason() << "\n";
    for (const auto& one : failed.violations()) {
      std::cout << "violation " << one.field << "|" << one.description << "\n";
    }
    const auto retry = failed.retry_after().value_or(std::chrono::nanoseconds(0));
    std::cout << "request " << failed.request_id() << "\nretry "
              << std::chrono::duration_cast<std::chrono::milliseconds>(retry).count() << "\n";
  }
}
