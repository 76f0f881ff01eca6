// A run always ends, and what it leaves behind is right whatever ends it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string job(const std::string& rest, const std::string& protocol = "async") {
  return "title: a job\n"
         "cluster: {hosts: [a, b, c], tasks: {ps/0: a, worker/0: b, worker/1: c}, network: {latency: 1ms}}\n"
         "build: {graph: softmax_async_ps1_task0, protocol: " +
         protocol + "}\nfeeds: {batch: 4}\n" + rest;
}
constexpr char kCosts[] = "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, time: 100ms}]\n";

struct Told {
  int exit_code = 0;
  std::string verdicts;  // kinds and texts
  long peak_kib = 0;
};

Told run(const std::string& yaml) {
  const Folder f;
  const std::string out = f.path() + "/out.json";
  const Answer a = ask_tarry({"run", f.put("s.yaml", yaml), "--json"}, out.c_str());
  const auto j = nlohmann::json::parse(*read_file(out));
  return {a.exit_code, j.value("verdicts", nlohmann::json()).dump(), a.peak_kib};
}

// ---- jobs that stand still, each with its healthy twin ----

TEST(StandingStill, is_judged_when_the_run_ends_by_time) {
  const std::string two = kCosts + std::string("stop: {time: 60s}\n");
  const Told slow = run(job(two + "faults: [{at: 1s, slow: {task: worker/1, percent: 100000}}]\n", "sync"));
  EXPECT_EQ(slow.exit_code, 4);
  EXPECT_THAT(slow.verdicts, AllOf(HasSubstr("stuck"), HasSubstr("the kernels of worker 1 take 1000 times as long")));
  const Told healthy = run(job(two, "sync"));
  EXPECT_EQ(healthy.exit_code, 0);
  EXPECT_THAT(healthy.verdicts, Not(HasSubstr("stuck")));
}

TEST(StandingStill, of_a_lost_server_is_named_with_and_without_a_worker_to_spare) {
  for (const char* protocol : {"sync", "sync, replicas_to_aggregate: 1", "async"}) {
    const Told lost = run(job(std::string(kCosts) + "stop: {time: 100s}\nfaults: [{at: 6s, kill: ps/0}]\n", protocol));
    EXPECT_EQ(lost.exit_code, 4) << protocol;
    EXPECT_THAT(lost.verdicts, AllOf(HasSubstr("the process of ps 0 ended at 6.000 s"), HasSubstr("the job goes on")));
  }
}

TEST(StandingStill, in_the_middle_of_a_run_says_what_ended_it) {
  const Told parted = run(job(
      std::string(kCosts) + "stop: {time: 60s}\nfaults: [{at: 5s, part: {between: [c, a], lasts: 12.5s}}]\n", "sync"));
  EXPECT_EQ(parted.exit_code, 0);
  EXPECT_THAT(parted.verdicts, AllOf(HasSubstr("stalled"), HasSubstr("nothing passes between c and a"),
                                     HasSubstr("It ended after messages passed again")));
}

TEST(StandingStill, of_a_dead_chief_names_its_sync_thread) {
  const Told t = run(job(std::string(kCosts) + "stop: {time: 60s}\nfaults: [{at: 5s, kill: worker/0}]\n", "sync"));
  EXPECT_EQ(t.exit_code, 4);
  EXPECT_THAT(t.verdicts,
              AllOf(HasSubstr("the process of worker 0"), HasSubstr("its sync thread takes the aggregates")));
}

// ---- runs that have no end of their own ----

TEST(ARun, in_which_nothing_takes_time_is_refused_with_the_steps_that_went_round) {
  const Folder f;
  const std::string yaml =
      "title: t\ncluster: {hosts: [a], tasks: {ps/0: a, worker/0: a}}\n"
      "build: {graph: softmax_async_ps1_task0, protocol: async}\nfeeds: {batch: 4}\nstop: {time: 10s}\n";
  const Answer a = ask_tarry({"run", f.put("s.yaml", yaml)});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, AllOf(HasSubstr("more than 1200000 events happened at 0.000 s"),
                               HasSubstr("of /job:worker/replica:0/task:0. Give ops a cost")));
}

TEST(ARun, whose_chief_never_comes_ends_and_says_who_waits) {
  const Told t = run(
      job(std::string(kCosts) + "training: {start: natural, workers: {worker/0: {absent: true}}}\nstop: {steps: 5}\n"));
  EXPECT_EQ(t.exit_code, 1);
  EXPECT_THAT(t.verdicts, AllOf(HasSubstr("worker 1 looked for the model 20 times"), HasSubstr("worker 0 never came")));
}

TEST(ARun, whose_chief_refuses_ends_at_once_with_its_words) {
  const Told t =
      run(job(std::string(kCosts) + "stop: {time: 100s}\n", "sync, replicas_to_aggregate: 4, num_tokens: 1"));
  EXPECT_EQ(t.exit_code, 1);
  EXPECT_THAT(t.verdicts, HasSubstr("Too few tokens to finish the first step"));
}

TEST(ARun, of_ops_that_take_years_ends) {
  EXPECT_EQ(run(job("costs: [{time: 26000h}]\nstop: {steps: 5}\n")).exit_code, 1);
}

TEST(ARun, of_two_of_a_hundred_thousand_workers_builds_two_graphs) {
  const Told t = run(job(std::string(kCosts) + "stop: {time: 5s}\n", "sync, workers: 100000"));
  EXPECT_THAT(t.verdicts, HasSubstr("no_aggregate"));
  EXPECT_LT(t.peak_kib, 500 * 1024);
}

// ---- ends from outside ----

std::string long_job() { return job(std::string(kCosts) + "stop: {time: 20000s}\n"); }

// The fields of /proc/PID/stat behind the name: state, parent, ...; empty when there is no such process.
std::vector<std::string> stat_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  std::vector<std::string> fields;
  if (text.rfind(')') == text.npos) return fields;
  std::istringstream in(text.substr(text.rfind(')') + 1));
  for (std::string field; in >> field;) fields.push_back(field);
  return fields;
}

bool is_alive(pid_t process) {
  const auto stat = stat_of(process);
  return !stat.empty() && stat[0] != "Z" && stat[0] != "X";
}

// A shell that starts the tests in the background has them ignore SIGINT, and what they start as well.
posix_spawnattr_t heeding_interrupts() {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupt{};
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &interrupt);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  return attributes;
}

class Started {  // a program that runs, with its standard output in a file
 public:
  Started(std::vector<std::string> words, const std::string& output) {
    words.insert(words.begin(), TARRY_PROGRAM);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const posix_spawnattr_t heeds = heeding_interrupts();
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    check(posix_spawn(&process, argv[0], &actions, &heeds, argv.data(), environ) == 0, "the program starts");
    posix_spawn_file_actions_destroy(&actions);
  }
  // Its child process, which runs the job; 0 = there is none.
  [[nodiscard]] pid_t child() const {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      const std::vector<std::string> stat = stat_of(std::stoi(name));
      if (stat.size() > 1 && stat[1] == std::to_string(process)) return std::stoi(name);
    }
    return 0;
  }
  [[nodiscard]] pid_t wait_for_child() const {
    while (child() == 0 && is_alive(process)) sched_yield();
    return child();
  }
  int end() const {
    int state = 0;
    waitpid(process, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  }
  pid_t process = 0;
};

// More ticks of a processor than these, in user mode.
bool has_used(pid_t process, long ticks) {
  const auto stat = stat_of(process);
  return stat.size() > 11 && std::atol(stat[11].c_str()) > ticks;
}

TEST(AnEnd, of_the_program_ends_the_run_whatever_signal_it_was) {
  for (const int signal : {SIGKILL, SIGTERM, SIGHUP, SIGSEGV}) {
    const Folder f;
    const Started program({"run", f.put("s.yaml", long_job())}, "/dev/null");
    const pid_t child = program.wait_for_child();
    kill(program.process, signal);
    program.end();
    while (is_alive(child)) sched_yield();  // a test that hangs here has found an orphan
  }
}

TEST(AnEnd, by_ctrl_c_tells_what_is_known_so_far) {
  const Folder f;
  const std::string out = f.path() + "/out.json";
  const Started program({"run", f.put("s.yaml", long_job()), "--json"}, out);
  const pid_t child = program.wait_for_child();
  while (!has_used(child, 5) && is_alive(child)) sched_yield();
  kill(program.process, SIGINT);
  kill(child, SIGINT);  // as a terminal does
  EXPECT_EQ(program.end(), 130);
  EXPECT_GT(nlohmann::json::parse(*read_file(out)).at("time_s").get<double>(), 0.0);
}

TEST(AnEnd, of_a_sweep_by_ctrl_c_says_what_is_done_and_the_same_command_goes_on) {
  const Folder f;
  (void)f.put("s.yaml", long_job());
  const std::string rows = f.path() + "/rows.sqlite", out = f.path() + "/out",
                    plan = f.put("plan.yaml", "scenario: s.yaml\naxes: {stop.time: [1s, 100000s]}\nseeds: 1\n");
  const Started program({"sweep", plan, "--out", rows, "--json", "-j", "2"}, out);
  const auto has_row = [&] { return fs::exists(rows) && read_file(rows)->find("asynchronous") != std::string::npos; };
  while (!has_row() && is_alive(program.process)) sched_yield();
  while (!has_used(program.child(), 20) && is_alive(program.process)) sched_yield();  // the run that is left
  kill(program.process, SIGINT);  // the one that `kill` names passes it on
  EXPECT_EQ(program.end(), 130);
  EXPECT_EQ(nlohmann::json::parse(*read_file(out)).at("error"),
            "interrupted: 1 of 2 runs are done, they are in " + rows + ", and the same command goes on from there");
}

// What it says when Ctrl-C comes after so many ticks of a processor.
nlohmann::json comparison_ended_after(long ticks) {
  const Folder f;
  const std::string out = f.path() + "/out.json", page = f.path() + "/page.html";
  const Started program(
      {"compare", "000_hello", "000_hello", "--seeds", "100000", "-j", "1", "--json", "--report", page}, out);
  const pid_t child = program.wait_for_child();
  while (!has_used(child, ticks) && is_alive(child)) sched_yield();
  kill(program.process, SIGINT);
  EXPECT_EQ(program.end(), 130);
  nlohmann::json told = nlohmann::json::parse(*read_file(out));
  EXPECT_EQ(fs::exists(page), told.contains("arms"));
  EXPECT_EQ(told.at("exit_code"), 130);
  if (fs::exists(page)) EXPECT_THAT(*read_file(page), HasSubstr("interrupted: both scenarios have run with"));
  return told;
}

TEST(AnEnd, of_a_comparison_by_ctrl_c_tells_of_the_seeds_that_both_have) {
  nlohmann::json told;
  for (long ticks = 10; !told.contains("arms"); ticks *= 2) {
    told = comparison_ended_after(ticks);
    EXPECT_TRUE(told.contains("arms") ||
                told.at("error") == "interrupted: both scenarios have run with 0 of 100000 seeds");
  }
  EXPECT_GT(told["arms"][0].at("runs"), 0);
  EXPECT_EQ(told["arms"][0].at("runs"), told["arms"][1].at("runs"));
  EXPECT_THAT(told.at("interrupted"), HasSubstr(fmt::format("both scenarios have run with {} of 100000 seeds",
                                                            told["arms"][0].at("runs").get<int>())));
}

// ---- outputs ----

TEST(AnOutput, that_finds_no_room_leaves_what_was_there) {
  const Folder f;
  const std::string kept = f.put("old.log", "what was there");
  fs::permissions(f.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const Answer a = ask_tarry({"run", "030_local", "--log", f.path() + "/none/x.log"});
  fs::permissions(f.path(), fs::perms::owner_all);
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("--log: there is no folder"));
  EXPECT_EQ(*read_file(kept), "what was there");
}

TEST(AnOutput, is_replaced_as_a_whole_and_nothing_else_is_left) {
  const Folder f;
  const std::string file = f.put("x.log", "old");
  EXPECT_EQ(ask_tarry({"run", "030_local", "--log", file}).exit_code, 0);
  EXPECT_THAT(*read_file(file), ::testing::StartsWith("tarry log 5\n"));
  EXPECT_EQ(std::distance(fs::directory_iterator(f.path()), fs::directory_iterator()), 1);
}

TEST(AnError, is_json_where_json_was_asked_for) {
  const Folder f;
  const std::string out = f.path() + "/out.json";
  EXPECT_EQ(ask_tarry({"run", "no_such_scenario", "--json"}, out.c_str()).exit_code, 2);
  const auto j = nlohmann::json::parse(*read_file(out));
  EXPECT_EQ(j.at("exit_code"), 2);
  EXPECT_THAT(j.at("error").get<std::string>(), HasSubstr("no such scenario"));
}

TEST(ATitle, may_be_any_bytes) {
  const Folder f;
  const std::string log = f.path() + "/x.log";
  const std::string yaml = "title: \"\xff\xfe\"\n" + job(std::string(kCosts) + "stop: {time: 1s}\n").substr(13);
  EXPECT_EQ(ask_tarry({"run", f.put("s.yaml", yaml), "--json", "--log", log}).exit_code, 0);
  EXPECT_EQ(ask_tarry({"judge", log, "--json"}).exit_code, 0);
}

TEST(Check, a_second_run_in_another_memory_is_the_same) {
  EXPECT_EQ(ask_tarry({"run", "uneven_ps", "--check"}).exit_code, 0);
}

}  // namespace
}  // namespace tarry
