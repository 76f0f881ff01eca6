#include "workers/master/client_session.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tarry {
namespace {

constexpr int kMostRetries = 10;
constexpr double kFirstBackoff = 10e6, kBackoffGrowth = 1.3;  // nanoseconds
constexpr const char* kRunError = "Graph execution error:\n\n";

Nanos backoff(int attempt) { return static_cast<Nanos>(kFirstBackoff * std::pow(kBackoffGrowth, attempt)); }

const FedTensor* find(const std::vector<FedTensor>& tensors, const std::string& name) {
  const auto it = std::ranges::find(tensors, name, &FedTensor::name);
  return it == tensors.end() ? nullptr : &*it;
}

template <class Request>
void call_with_retry(MasterService& master, Env& env, Request request, std::int64_t timeout_ms,
                     ReplyDone<typename Request::Response> done, int attempt = 0) {
  (void)call_master(master, env, request,
                    ReplyDone<typename Request::Response>(
                        [&master, &env, request, timeout_ms, attempt, done = std::move(done)](auto r) mutable {
                          if (r.status().code() != Code::kUnavailable || attempt == kMostRetries)
                            return std::move(done)(std::move(r));
                          env.after(backoff(attempt), [&master, &env, request = std::move(request), timeout_ms, attempt,
                                                       done = std::move(done)]() mutable {
                            call_with_retry(master, env, std::move(request), timeout_ms, std::move(done), attempt + 1);
                          });
                        }),
                    timeout_ms * 1'000'000);
}

}  // namespace

ClientSession::ClientSession(Env& env, MasterService& master, GraphSpec graph, SessionConfig config, std::string target)
    : env_(env), master_(master), graph_(std::move(graph)), config_(std::move(config)), target_(std::move(target)) {
  config_.disable_optimize_for_static_graph = true;  // the graph may grow
}

template <class Request>
void ClientSession::ask(Request request, ReplyDone<typename Request::Response> done, std::int64_t timeout_ms) {
  call_with_retry(master_, env_, std::move(request), timeout_ms, std::move(done));
}

void ClientSession::prepare(StatusCallback done) {
  if (handle_.empty()) return create(std::move(done));
  if (sent_nodes_ < graph_.nodes.size()) return extend(std::move(done));
  std::move(done)(Status());
}

void ClientSession::create(StatusCallback done) {
  const std::size_t nodes = graph_.nodes.size();
  ask(
      CreateSessionRequest{std::make_shared<const GraphSpec>(graph_), config_, target_},
      [this, nodes, done = std::move(done)](StatusOr<CreateSessionResponse> r) mutable {
        if (r.ok()) {
          handle_ = r->session;
          sent_nodes_ = nodes;
        }
        std::move(done)(r.status());
      },
      config_.operation_timeout_ms);
}

void ClientSession::extend(StatusCallback done) {
  auto more = std::make_shared<GraphSpec>();
  more->versions = graph_.versions;
  more->nodes.assign(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(sent_nodes_), graph_.nodes.end());
  const std::size_t nodes = graph_.nodes.size();
  ask(
      ExtendSessionRequest{handle_, more, version_},
      [this, nodes, done = std::move(done)](StatusOr<ExtendSessionResponse> r) mutable {
        if (r.ok()) {
          version_ = r->new_version;
          sent_nodes_ = nodes;
        }
        std::move(done)(r.status());
      },
      config_.operation_timeout_ms);
}

void ClientSession::run(ClientRun run, Ran done) {
  if (closed_) return std::move(done)(error(Code::kFailedPrecondition, "{}", kClosed));
  const bool is_all_fed = run.targets.empty() && std::ranges::all_of(run.fetches, [&](const std::string& f) {
                            return find(run.feeds, f) != nullptr;
                          });
  if (is_all_fed && !run.fetches.empty()) {
    std::vector<TensorRef> values;
    for (const std::string& f : run.fetches) values.push_back(find(run.feeds, f)->value);
    return std::move(done)(std::move(values));
  }
  prepare([this, run = std::move(run), done = std::move(done)](const Status& s) mutable {
    if (!s.ok()) return std::move(done)(with_prefix(s, kRunError));
    run_step(std::move(run), std::move(done));
  });
}

RunStepRequest ClientSession::request_of(const ClientRun& run) {
  RunStepRequest r{handle_, run.feeds, {}, run.targets, run.options, "", true, env_.random().next() | 1};
  r.options->timeout_ms = timeout_of(run);
  for (const std::string& f : run.fetches)
    if (find(run.feeds, f) == nullptr && std::ranges::find(r.fetches, f) == r.fetches.end()) r.fetches.push_back(f);
  return r;
}

void ClientSession::run_step(ClientRun run, Ran done) {
  RunStepRequest request = request_of(run);
  const std::int64_t timeout = timeout_of(run);
  ask(
      std::move(request),
      [run = std::move(run), done = std::move(done)](StatusOr<RunStepResponse> r) mutable {
        const Status s = r.ok() ? r->status : r.status();
        if (!s.ok()) return std::move(done)(with_prefix(s, kRunError));
        std::vector<TensorRef> values;
        for (const std::string& f : run.fetches) {
          const FedTensor* found = find(run.feeds, f);
          if (found == nullptr) found = find(r->tensors, f);
          if (found == nullptr) return std::move(done)(error(Code::kInternal, "the master did not answer {}", f));
          values.push_back(found->value);
        }
        std::move(done)(std::move(values));
      },
      timeout);
}

void ClientSession::close(StatusCallback done) {
  closed_ = true;
  if (handle_.empty()) return std::move(done)(Status());
  ask(
      CloseSessionRequest{handle_},
      [done = std::move(done)](StatusOr<Empty> r) mutable { std::move(done)(r.status()); },
      config_.operation_timeout_ms);
}

void ClientSession::reset(Env& env, MasterService& master, std::vector<std::string> containers, StatusCallback done) {
  call_with_retry(
      master, env, ResetRequest{std::move(containers), {}}, 0,
      ReplyDone<Empty>([done = std::move(done)](StatusOr<Empty> r) mutable { std::move(done)(r.status()); }));
}

}  // namespace tarry
