// Sends calls to a daemon, at a fixed rate or as many at a time, and says how each one ended.
//
// At a rate, calls are due at random and do not wait for each other; a call's time begins when it was
// due, so that whatever keeps the client from sending it counts as waiting too. The requests are the
// items of a bgbot.v1.BulkRequest on standard input, sent in turn. Prints one JSON object.

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bgbot/v1/bulk_service.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr auto kHealthEvery = std::chrono::milliseconds(50);
constexpr std::string_view kServing("\x08\x01", 2);  // HealthCheckResponse { status: SERVING }

struct Options {
  std::vector<std::string> targets;
  double rate = 0;
  int in_flight = 0;
  int connections = 4;
  int threads = 1;
  double seconds = 5;
  double warm_up = 1;
  double deadline = 10;
  std::string health;
  bool timeline = false;
};

struct Request {
  std::string path;
  grpc::ByteBuffer payload;
};

// How calls have ended, and how long they took.
struct Tally {
  std::map<int, std::uint64_t> by_status;
  std::uint64_t retry_info = 0;
  std::uint64_t empty = 0;
  std::vector<std::uint32_t> ok, refused, late;
  // For each second since the measurement began: calls due in it that ended OK, RESOURCE_EXHAUSTED, otherwise.
  std::vector<std::array<std::uint64_t, 3>> seconds;
  std::vector<std::vector<std::uint32_t>> ok_in_second;

  void Add(const Tally& other) {
    for (const auto& [status, count] : other.by_status) by_status[status] += count;
    retry_info += other.retry_info;
    empty += other.empty;
    ok.insert(ok.end(), other.ok.begin(), other.ok.end());
    refused.insert(refused.end(), other.refused.begin(), other.refused.end());
    late.insert(late.end(), other.late.begin(), other.late.end());
    if (seconds.size() < other.seconds.size()) {
      seconds.resize(other.seconds.size());
      ok_in_second.resize(other.seconds.size());
    }
    for (std::size_t second = 0; second < other.seconds.size(); ++second) {
      for (std::size_t kind = 0; kind < 3; ++kind) seconds[second][kind] += other.seconds[second][kind];
      const auto& times = other.ok_in_second[second];
      ok_in_second[second].insert(ok_in_second[second].end(), times.begin(), times.end());
    }
  }
};

// What the health check was told, all the time.
struct Health {
  std::uint64_t serving = 0, failed = 0;
  std::vector<std::uint32_t> times;
};

struct Call {
  grpc::ClientContext context;
  grpc::ByteBuffer answer;
  grpc::Status status;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  Clock::time_point due, sent;
};

std::uint32_t Microseconds(Clock::duration duration) {
  const auto count = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, UINT32_MAX));
}

bool HasRetryInfo(const grpc::Status& status) {
  google::rpc::Status said;
  if (!said.ParseFromString(status.error_details())) return false;
  return std::any_of(said.details().begin(), said.details().end(),
                     [](const auto& detail) { return detail.template Is<google::rpc::RetryInfo>(); });
}

// `list_legal_plays` is `ListLegalPlays`.
std::string MethodOf(const std::string& field) {
  std::string method;
  bool upper = true;
  for (const char letter : field) {
    if (letter == '_') {
      upper = true;
    } else {
      method += upper ? static_cast<char>(std::toupper(letter)) : letter;
      upper = false;
    }
  }
  return method;
}

// Finds the service that has a method: a Bulk item has the name of its own.
std::string PathOf(const std::string& method) {
  for (const char* name : {"bgbot.v1.RulesService", "bgbot.v1.BotService", "bgbot.v1.EvaluationService"}) {
    const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
    if (service != nullptr && service->FindMethodByName(method) != nullptr) return "/" + std::string(name) + "/" + method;
  }
  throw std::runtime_error("no service has the method " + method);
}

grpc::ByteBuffer Packed(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::vector<Request> ReadRequests(std::istream& input) {
  bgbot::v1::BulkRequest bulk;
  if (!bulk.ParseFromIstream(&input) || bulk.items().empty()) {
    throw std::runtime_error("standard input must be a bgbot.v1.BulkRequest with items");
  }
  const auto* request = bgbot::v1::BulkItem::descriptor()->FindOneofByName("request");
  std::vector<Request> requests;
  for (const auto& item : bulk.items()) {
    const auto* reflection = item.GetReflection();
    const auto* field = reflection->GetOneofFieldDescriptor(item, request);
    if (field == nullptr || field->message_type() == nullptr) throw std::runtime_error("an item without a request");
    requests.push_back({PathOf(MethodOf(field->name())),
                        Packed(reflection->GetMessage(item, field).SerializeAsString())});
  }
  return requests;
}

std::shared_ptr<grpc::Channel> Connect(const std::string& target) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // else channels to one address share a connection
  auto channel = grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10))) {
    throw std::runtime_error("cannot connect to " + target);
  }
  return channel;
}

// One thread's share of the load.
class Sender {
 public:
  Sender(const Options& options, const std::vector<Request>& requests, int number, Clock::time_point begin)
      : options_(options), requests_(requests), next_(number * 7919U), draw_(number + 1U), begin_(begin) {
    for (int each = number; each < options.connections; each += options.threads) {
      channels_.push_back(Connect(options.targets[each % options.targets.size()]));
      stubs_.push_back(std::make_unique<grpc::GenericStub>(channels_.back()));
    }
    measured_ = begin + std::chrono::duration_cast<Clock::duration>(Seconds(options.warm_up));
    end_ = measured_ + std::chrono::duration_cast<Clock::duration>(Seconds(options.seconds));
    if (options.timeline) {
      tally.seconds.resize(static_cast<std::size_t>(std::ceil(options.seconds)));
      tally.ok_in_second.resize(tally.seconds.size());
    }
  }

  void Run() {
    if (options_.rate > 0) {
      std::thread sending(&Sender::SendAtRate, this);
      AwaitAll();
      sending.join();
    } else {
      Saturate();
      sent_all_ = true;
      AwaitAll();
    }
  }

  Tally tally;

 private:
  // A thread of its own, since a queue wakes its waiter a millisecond late.
  void SendAtRate() {
    std::exponential_distribution<double> gap(options_.rate / options_.threads);
    const auto next_gap = [&] { return std::chrono::duration_cast<Clock::duration>(Seconds(gap(draw_))); };
    for (auto due = begin_ + next_gap(); due < end_; due += next_gap()) {
      std::this_thread::sleep_until(due);
      Send(due);
    }
    sent_all_ = true;
  }

  void AwaitAll() {
    while (!sent_all_ || in_flight_ > 0) Await();
  }

  void Saturate() {
    std::this_thread::sleep_until(begin_);
    const int share = std::max(1, options_.in_flight / options_.threads);
    for (int each = 0; each < share; ++each) Send(Clock::now());
    while (Clock::now() < end_) {
      if (Await()) Send(Clock::now());
    }
  }

  void Send(Clock::time_point due) {
    auto* call = new Call;
    const Request& request = requests_[next_ % requests_.size()];
    call->due = due;
    call->sent = Clock::now();
    call->context.set_deadline(std::chrono::system_clock::now() +
                               std::chrono::duration_cast<std::chrono::milliseconds>(Seconds(options_.deadline)));
    call->reader = stubs_[next_ % stubs_.size()]->PrepareUnaryCall(&call->context, request.path, request.payload, &queue_);
    ++next_;
    ++in_flight_;
    call->reader->StartCall();
    call->reader->Finish(&call->answer, &call->status, call);
  }

  // Waits a while for an answer; false if none has come.
  bool Await() {
    void* tag = nullptr;
    bool ok = false;
    const auto until = std::chrono::system_clock::now() + std::chrono::milliseconds(100);
    if (queue_.AsyncNext(&tag, &ok, until) != grpc::CompletionQueue::GOT_EVENT) return false;
    const std::unique_ptr<Call> call(static_cast<Call*>(tag));
    --in_flight_;
    if (call->due >= measured_ && call->due < end_) Count(*call);
    return true;
  }

  void Count(const Call& call) {
    const auto taken = Microseconds(Clock::now() - call.due);
    const int code = call.status.error_code();
    ++tally.by_status[code];
    if (call.sent > call.due) tally.late.push_back(Microseconds(call.sent - call.due));
    std::size_t kind = 2;
    if (code == grpc::StatusCode::OK) {
      kind = 0;
      tally.ok.push_back(taken);
      if (call.answer.Length() == 0) ++tally.empty;
    } else if (code == grpc::StatusCode::RESOURCE_EXHAUSTED) {
      kind = 1;
      tally.refused.push_back(taken);
      if (HasRetryInfo(call.status)) ++tally.retry_info;
    }
    const auto second = static_cast<std::size_t>(Seconds(call.due - measured_).count());
    if (second < tally.seconds.size()) {
      ++tally.seconds[second][kind];
      if (kind == 0) tally.ok_in_second[second].push_back(taken);
    }
  }

  const Options& options_;
  const std::vector<Request>& requests_;
  std::uint32_t next_;
  std::mt19937_64 draw_;
  Clock::time_point begin_, measured_, end_;
  grpc::CompletionQueue queue_;
  std::vector<std::shared_ptr<grpc::Channel>> channels_;
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  std::atomic<int> in_flight_ = 0;
  std::atomic<bool> sent_all_ = false;
};

// Asks for the health on a connection of its own until told to stop.
void WatchHealth(const std::string& target, const std::atomic<bool>& stop, Health& health) {
  grpc::GenericStub stub(Connect(target));
  grpc::CompletionQueue queue;
  const grpc::ByteBuffer empty = Packed("");
  for (auto next = Clock::now(); !stop; next = std::max(next + kHealthEvery, Clock::now())) {
    std::this_thread::sleep_until(next);
    Call call;
    call.context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
    const auto began = Clock::now();
    call.reader = stub.PrepareUnaryCall(&call.context, "/grpc.health.v1.Health/Check", empty, &queue);
    call.reader->StartCall();
    call.reader->Finish(&call.answer, &call.status, &call);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    health.times.push_back(Microseconds(Clock::now() - began));
    grpc::Slice slice;
    const bool serving = call.status.ok() && call.answer.TrySingleSlice(&slice).ok() &&
                         std::string_view(reinterpret_cast<const char*>(slice.begin()), slice.size()) == kServing;
    ++(serving ? health.serving : health.failed);
  }
}

const char* NameOf(int code) {
  static const std::array<const char*, 17> names = {
      "OK",        "CANCELLED", "UNKNOWN",     "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
      "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
      "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && code < static_cast<int>(names.size()) ? names[code] : "UNKNOWN";
}

std::uint32_t Percentile(std::vector<std::uint32_t>& times, double share) {
  if (times.empty()) return 0;
  const auto rank = std::min(times.size() - 1, static_cast<std::size_t>(share * times.size()));
  std::nth_element(times.begin(), times.begin() + rank, times.end());
  return times[rank];
}

std::string Percentiles(std::vector<std::uint32_t>& times) {
  std::ostringstream out;
  out << "{\"p50\":" << Percentile(times, 0.5) << ",\"p90\":" << Percentile(times, 0.9)
      << ",\"p99\":" << Percentile(times, 0.99) << ",\"p99.9\":" << Percentile(times, 0.999)
      << ",\"most\":" << Percentile(times, 1) << "}";
  return out.str();
}

void Print(const Options& options, Tally& tally, Health& health, double cpu_seconds) {
  std::uint64_t calls = 0;
  std::ostringstream statuses;
  for (const auto& [code, count] : tally.by_status) {
    statuses << (calls ? "," : "") << '"' << NameOf(code) << "\":" << count;
    calls += count;
  }
  std::cout << "{\"seconds\":" << options.seconds << ",\"calls\":" << calls << ",\"calls_a_second\":"
            << calls / options.seconds << ",\"ok_a_second\":" << tally.ok.size() / options.seconds << ",\"statuses\":{"
            << statuses.str() << "},\"refused_with_retry_info\":" << tally.retry_info
            << ",\"ok_without_answer\":" << tally.empty << ",\"ok_us\":" << Percentiles(tally.ok)
            << ",\"refused_us\":" << Percentiles(tally.refused) << ",\"sent_late_us\":" << Percentiles(tally.late)
            << ",\"client_cpu_seconds\":" << cpu_seconds;
  if (!options.health.empty()) {
    std::cout << ",\"health\":{\"serving\":" << health.serving << ",\"failed\":" << health.failed
              << ",\"us\":" << Percentiles(health.times) << "}";
  }
  if (options.timeline) {
    std::cout << ",\"timeline\":[";
    for (std::size_t second = 0; second < tally.seconds.size(); ++second) {
      const auto& [ok, refused, other] = tally.seconds[second];
      std::cout << (second ? "," : "") << "{\"ok\":" << ok << ",\"refused\":" << refused << ",\"other\":" << other
                << ",\"ok_p99_us\":" << Percentile(tally.ok_in_second[second], 0.99) << "}";
    }
    std::cout << "]";
  }
  std::cout << "}" << std::endl;
}

constexpr const char* kUsage =
    "load_client --target HOST:PORT [--target ...] (--rate CALLS_A_SECOND | --in-flight CALLS) [--connections 4]\n"
    "            [--threads 1] [--seconds 5] [--warm-up 1] [--deadline 10] [--health HOST:PORT]\n"
    "            [--timeline] < requests\n"
    "Connections go to the targets in turn. --warm-up seconds come first and are not counted.\n";

Options Parse(int count, char** words) {
  Options options;
  std::map<std::string, std::function<void(const char*)>> taking = {
      {"--target", [&](const char* word) { options.targets.emplace_back(word); }},
      {"--rate", [&](const char* word) { options.rate = std::stod(word); }},
      {"--in-flight", [&](const char* word) { options.in_flight = std::stoi(word); }},
      {"--connections", [&](const char* word) { options.connections = std::stoi(word); }},
      {"--threads", [&](const char* word) { options.threads = std::stoi(word); }},
      {"--seconds", [&](const char* word) { options.seconds = std::stod(word); }},
      {"--warm-up", [&](const char* word) { options.warm_up = std::stod(word); }},
      {"--deadline", [&](const char* word) { options.deadline = std::stod(word); }},
      {"--health", [&](const char* word) { options.health = word; }},
  };
  for (int each = 1; each < count; ++each) {
    const std::string word = words[each];
    if (word == "--timeline") {
      options.timeline = true;
    } else if (const auto found = taking.find(word); found != taking.end() && each + 1 < count) {
      found->second(words[++each]);
    } else {
      throw std::invalid_argument(word + "\n" + kUsage);
    }
  }
  if (options.targets.empty() || (options.rate > 0) == (options.in_flight > 0) || options.threads < 1 ||
      options.connections < options.threads || options.seconds <= 0 || options.warm_up < 0 || options.deadline <= 0) {
    throw std::invalid_argument(kUsage);
  }
  return options;
}

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return time.tv_sec + 1e-6 * time.tv_usec; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void Load(const Options& options) {
  const auto requests = ReadRequests(std::cin);
  const auto begin = Clock::now() + std::chrono::milliseconds(200);
  std::vector<std::unique_ptr<Sender>> senders;
  for (int number = 0; number < options.threads; ++number) {
    senders.push_back(std::make_unique<Sender>(options, requests, number, begin));
  }
  std::atomic<bool> stop = false;
  Health health;
  std::thread watching;
  if (!options.health.empty()) watching = std::thread(WatchHealth, options.health, std::cref(stop), std::ref(health));
  std::vector<std::thread> threads;
  const double before = ProcessorSeconds();
  for (auto& sender : senders) threads.emplace_back(&Sender::Run, sender.get());
  for (auto& thread : threads) thread.join();
  const double cpu_seconds = ProcessorSeconds() - before;
  stop = true;
  if (watching.joinable()) watching.join();
  Tally all;
  for (const auto& sender : senders) all.Add(sender->tally);
  Print(options, all, health, cpu_seconds);
}

}  // namespace

int main(int count, char** words) {
  try {
    Load(Parse(count, words));
  } catch (const std::exception& error) {
    std::cerr << "load_client: " << error.what() << '\n';
    return 1;
  }
}
