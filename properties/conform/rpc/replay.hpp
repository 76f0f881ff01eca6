// A transcript replayed against our worker or master, in virtual time.
#pragma once

#include <optional>

#include "properties/conform/rpc/fake_worker.hpp"
#include "workers/direct/local_env.hpp"
#include "workers/worker/worker.hpp"

namespace tarry::rpc {

// The cluster of a case: the real task's worker is ours, the others are fakes.
class Cluster {
 public:
  // Fails: INVALID_ARGUMENT for a case that lacks its setup.
  [[nodiscard]] static StatusOr<std::unique_ptr<Cluster>> make(const Json& the_case);

  // Lets this much time pass, or less when `enough` gives true.
  void pass(
      double seconds, const std::function<bool()>& enough = [] { return false; });
  [[nodiscard]] double seconds() const { return in_seconds(env.now()); }

  [[nodiscard]] Json to_values(const Json& recorded) const;  // $INC(...) as our numbers
  [[nodiscard]] Json to_symbols(const Json& ours) const;
  [[nodiscard]] Reading reading() { return {env, graphs}; }

  const Json& the_case;
  LocalEnv env;
  std::unique_ptr<Directory> directory;
  TaskId real;
  Worker* worker = nullptr;
  std::unique_ptr<Stage> stage;
  Incarnations incarnations;
  std::map<std::string, std::shared_ptr<const GraphSpec>> graphs;
  std::map<std::string, int> restarts;

 private:
  explicit Cluster(const Json& c) : the_case(c) {}
  [[nodiscard]] Status read_graphs();
  void start_tasks();
};

// Each gives the differences, in order; empty = the replay agrees.
[[nodiscard]] StatusOr<std::vector<std::string>> replay_worker(const Json& the_case);
[[nodiscard]] StatusOr<std::vector<std::string>> replay_master(const Json& the_case);
[[nodiscard]] StatusOr<std::vector<std::string>> replay_client(const Json& the_case);

// Gives "" when the times are within 0.3 s of each other; else a text about `what`.
[[nodiscard]] std::string difference_of_times(double ours, double theirs, const char* what);

}  // namespace tarry::rpc
