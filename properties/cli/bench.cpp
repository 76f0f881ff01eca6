// Speed, measured in one run so that the figures can be compared with each other.

#include "properties/cli/bench.hpp"

#include <fmt/format.h>

#include <array>
#include <regex>

#include "properties/bench/figures.hpp"
#include "properties/bench/reference_loop.hpp"
#include "sim/heap.hpp"

namespace tarry {
namespace {

void heap_events(benchmark::State& state) {
  EventHeap heap;
  std::uint64_t n = 0;
  const Continuation count{[](void* self, std::uint64_t) { ++*static_cast<std::uint64_t*>(self); }, &n, 0};
  for (int i = 0; i < 1000; ++i) heap.at(i, count);
  for (auto _ : state) {
    heap.at(heap.now() + 1000, count);
    heap.run_next();
  }
  state.SetItemsProcessed(state.iterations());
}

void timers(benchmark::State& state) {
  EventHeap heap;
  std::uint64_t n = 0;
  for (int i = 0; i < 1000; ++i) heap.after(i, [&n] { ++n; });
  for (auto _ : state) {
    heap.after(1000, [&n] { ++n; });
    heap.run_next();
  }
  state.SetItemsProcessed(state.iterations());
}

constexpr char kCalibration[] = "calibration";

struct BenchPart {
  const char* name;
  void (*add)(const Home& home);
};
// Clusters first: a child's peak memory counts what the bench holds by then.
constexpr std::array<BenchPart, 6> kParts = {{
    {"cluster", add_cluster_benchmarks},
    {"flows", add_flow_benchmarks},
    {"placer", add_placer_benchmarks},
    {"partition", add_partition_benchmarks},
    {"executor", add_executor_benchmarks},
    {"hunting", add_hunting_benchmarks},
}};

bool is_regular_expression(const std::string& text) {
  try {
    const std::regex unused(text, std::regex::extended);
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

// Also divides each figure by the reference loop, as the machine is right after it.
class WithSpeeds : public WithSlopes {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    WithSlopes::ReportRuns(runs);
    for (const Run& r : runs) speeds_.push_back({r.benchmark_name(), seconds_of(r) / seconds_of_reference_loop()});
  }
  [[nodiscard]] const std::vector<Speed>& speeds() const { return speeds_; }

 private:
  static double seconds_of(const Run& r) {
    return processor_time(r.benchmark_name(), r.real_accumulated_time, r.cpu_accumulated_time) /
           static_cast<double>(r.iterations);
  }
  std::vector<Speed> speeds_;
};

// Runs those that are wanted; false where none has such a name.
bool run_benchmarks(const Home& home, const BenchArguments& a, WithSlopes& reporter) {
  benchmark::RegisterBenchmark("event heap", heap_events);
  benchmark::RegisterBenchmark("event heap, timers", timers);
  for (const BenchPart& p : kParts)
    if (a.what == "all" || a.what == p.name) p.add(home);
  std::vector<std::string> words{"tarry"};
  if (!a.out.empty()) words.insert(words.end(), {"--benchmark_out=" + a.out, "--benchmark_out_format=json"});
  if (!a.filter.empty()) words.push_back("--benchmark_filter=" + a.filter);
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  return benchmark::RunSpecifiedBenchmarks(&reporter) > 0;
}

Status bench_here(const Home& home, const BenchArguments& a) {
  if (a.save) TARRY_RETURN_IF_ERROR(check_speeds(home));
  WithSlopes plain;
  WithSpeeds dividing;
  if (!run_benchmarks(home, a, a.save ? dividing : plain))
    return error(Code::kNotFound, "--filter '{}': no benchmark has such a name", a.filter);
  return a.save ? save_speeds(home, dividing.speeds()) : Status();
}

int bench(const Home& home, const BenchArguments& a) {
  if (!is_regular_expression(a.filter)) return refuse(invalid("--filter '{}' is no regular expression", a.filter));
  if (a.what == kCalibration) return bench_calibration(home, a);
  if (a.against) return bench_against(home, a);
  const Status s = bench_here(home, a);
  return s.ok() ? kOk : refuse(s);
}

constexpr char kWhat[] =
    "placer, partition, executor, cluster, flows, hunting, or all; or calibration: published throughput beside what is "
    "predicted";
constexpr char kFilter[] =
    "Run the benchmarks whose name matches this regular expression; of calibration: the rows whose 'CASE GRAPH GPUS' "
    "does, with the GPUs of all workers together";
constexpr char kSave[] =
    "Add the figures to results/speed.csv, divided by a reference loop measured in the same run; of calibration: write "
    "results/calibration.csv";

}  // namespace

void add_bench(CommandLine& line) {
  auto a = std::make_shared<BenchArguments>();
  CLI::App* c = &line.command;
  std::vector<std::string> parts{"all", kCalibration};
  for (const BenchPart& p : kParts) parts.emplace_back(p.name);
  c->add_option("what", a->what, kWhat)->capture_default_str()->check(CLI::IsMember(parts));
  CLI::Option* out = c->add_option("--out", a->out, "Write the figures to this file, as JSON")->check(new_file());
  c->add_option("--filter", a->filter, kFilter);
  CLI::Option* save = c->add_flag("--save", a->save, kSave);
  CLI::Option* against = c->add_option("--against", a->against,
                                       "Build this git revision and this checkout, measure both in turns, and compare");
  against->excludes(out)->excludes(save);
  c->add_option("--rounds", a->rounds, "With --against: how often each of the two is measured")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->needs(against);
  c->callback([a, &line] { line.exit_code = bench(line.home, *a); });
}

}  // namespace tarry
