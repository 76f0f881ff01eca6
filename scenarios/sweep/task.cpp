#include "scenarios/sweep/task.hpp"

#include <fmt/format.h>

#include <csignal>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "scenarios/file/make_job.hpp"
#include "scenarios/job/why.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

StatusOr<Job> job_of(const nlohmann::json& request, const std::string& graphs_folder) {
  TARRY_ASSIGN(const Scenario scenario,
               parse_scenario(request["text"].get<std::string>(), request["file"].get<std::string>()));
  return make_job(scenario, {graphs_folder, false, request["seed"].get<std::uint64_t>()});
}

// What a child of this one says: the machine's troubles stay such.
[[noreturn]] void give_up(const Status& why) {
  if (why.code() == Code::kResourceExhausted) throw std::bad_alloc();
  if (why.code() == Code::kInternal) throw std::runtime_error(std::string(text_of(why)));
  throw Refused(std::string(text_of(why)));
}

template <class T>
T value_or_give_up(StatusOr<T> value) {
  if (!value.ok()) give_up(value.status());
  return *std::move(value);
}

bool asks_ideal(const nlohmann::json& measures) {
  return std::ranges::any_of(measures,
                             [](const nlohmann::json& m) { return find_measure(m.get<std::string>())->asks_ideal; });
}

// Ctrl-C ends a run, even if who runs the sweep holds it back.
void obey_interrupts() {
  sigset_t interrupt{};
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_UNBLOCK, &interrupt, nullptr);
}

// Nothing where it is not known: of a run without a step.
std::string update_of(const RunFacts& facts) {
  if (!facts.contributions.accumulators.empty()) return "aggregate";
  return facts.steps.empty() ? "" : "step";
}

nlohmann::json answer_of(const Outcome& o, const RunFacts& facts, const nlohmann::json& measures) {
  nlohmann::json j{{"hash", to_string(o.log.hash())},
                   {"verdicts", fmt::format("{}", fmt::join(facts.verdicts, " "))},
                   {"reached_stop", facts.ending.reached_stop()},
                   {"update_is", update_of(facts)},
                   {"measures", nlohmann::json::array()}};
  for (const auto& name : measures) {
    const auto value = find_measure(name.get<std::string>())->of(facts);
    j["measures"].push_back(value ? nlohmann::json(*value) : nlohmann::json());
  }
  return j;
}

}  // namespace

std::string request_of(const SweepPlan& plan, const SweepTask& task) {
  const ScenarioText& scenario = plan.arms[task.arm].scenario;
  nlohmann::json j{
      {"text", scenario.text}, {"file", scenario.file}, {"seed", task.seed}, {"measures", nlohmann::json::array()}};
  for (const Measure* m : plan.measures) j["measures"].push_back(std::string(m->name));
  std::string bytes;
  nlohmann::json::to_msgpack(j, bytes);  // which bears names of files that are no UTF-8
  return bytes;
}

std::string answer_to(const std::string& request, const std::string& graphs_folder) {
  const nlohmann::json asked = nlohmann::json::from_msgpack(request);
  Job job = value_or_give_up(job_of(asked, graphs_folder));
  const bool with_ideal = asks_ideal(asked["measures"]);  // then there are two runs, and each needs a process
  job.keep_kernels = with_ideal;
  const Outcome o = with_ideal ? value_or_give_up(run_apart(job)) : run_here(job);
  RunFacts facts(job, o);
  if (with_ideal) facts.slowdown = value_or_give_up(slowdown_of(job, o));
  return answer_of(o, facts, asked["measures"]).dump();
}

RunRow row_of(const SweepPlan& plan, const SweepTask& task, const StatusOr<std::string>& answer) {
  RunRow row{task.arm, task.seed, "", "", "", std::vector<std::optional<double>>(plan.measures.size()), true, ""};
  if (!answer.ok()) {
    row.error = text_of(answer.status());
    return row;
  }
  const nlohmann::json j = nlohmann::json::parse(*answer);
  row.hash = j["hash"];
  row.verdicts = j["verdicts"];
  row.reached_stop = j["reached_stop"];
  row.update_is = j["update_is"];
  for (std::size_t i = 0; i < row.measures.size(); ++i)
    if (!j["measures"][i].is_null()) row.measures[i] = j["measures"][i].get<double>();
  return row;
}

Batch in_children(const std::string& graphs_folder, int at_once) {
  return [graphs_folder, at_once](int count, const Request& request, const Answered& answered) {
    run_in_pool(
        count, at_once,
        [&](int n) {
          obey_interrupts();
          return answer_to(request(n), graphs_folder);
        },
        answered);
  };
}

}  // namespace tarry
