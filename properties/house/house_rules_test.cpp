#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "properties/house/functions.hpp"
#include "properties/house/rules.hpp"

namespace tarry::house {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Sources& project() {
  static const Sources all = read_tree(TARRY_SOURCE_DIR);
  return all;
}

Sources cpp_files() {
  Sources out;
  std::ranges::copy_if(project(), std::back_inserter(out), [](const Source& f) { return is_cpp(f.path); });
  return out;
}

Offences of(Offences (*rule)(const Sources&), std::string path, std::string text) {
  return rule({source(std::move(path), std::move(text))});
}

std::string list(const std::vector<Function>& functions) {
  std::string out;
  for (const Function& f : functions)
    out += f.file + ":" + std::to_string(f.line) + ": " + f.name + ", " + std::to_string(f.length) + " lines\n";
  return out;
}

// --- The project keeps its rules. ----

TEST(HouseRules, the_whole_project_is_read) {
  EXPECT_GT(cpp_files().size(), 100u);
  EXPECT_GT(longer_than(0, cpp_files()).size(), 1000u);
  EXPECT_EQ(std::ranges::count(project(), "workers/train/build/variables.cpp", &Source::path), 1);
  EXPECT_GT(
      std::ranges::count_if(project(), [](const Source& f) { return f.path.ends_with(".cc") && is_formatted(f.path); }),
      5);
}
TEST(HouseRules, includes_point_upstream_only) { EXPECT_THAT(wrong_arrows(project()), IsEmpty()); }
std::string top(const std::string& room) { return room.substr(0, room.find('/')); }

// "a -> b" for every pair of rooms, and of top folders, that include each other; and every arrow to a room further
// down.
Offences arrows_back(const std::vector<Arrow>& all) {
  const std::vector<std::string> order = rooms();
  const auto place = [&](const std::string& room) { return std::ranges::find(order, room) - order.begin(); };
  std::set<std::pair<std::string, std::string>> tops;
  Offences back;
  for (const Arrow& a : all) {
    if (place(a.from) < place(a.to)) back.push_back(a.from + " -> " + a.to);
    if (top(a.from) != top(a.to)) tops.emplace(top(a.from), top(a.to));
  }
  for (const auto& [from, to] : tops)
    if (from < to && tops.contains({to, from})) back.push_back(from + " <-> " + to);
  return back;
}

TEST(HouseRules, no_arrow_between_rooms_runs_back) {
  const std::vector<Arrow> all = arrows(project());
  for (const Arrow& a : all) std::cout << a.from << " -> " << a.to << " (" << a.includes << ")\n";
  EXPECT_GT(all.size(), 60u);
  EXPECT_THAT(arrows_back(all), IsEmpty());
}
// "workers/state -> placer/core, workers/tensor", a line for each room that includes others.
std::string drawn(const std::vector<Arrow>& all) {
  std::map<std::string, std::string> seen;
  for (const Arrow& a : all) seen[a.from] += (seen[a.from].empty() ? "" : ", ") + a.to;
  std::string out;
  for (const std::string& room : rooms())
    if (seen.contains(room)) out += room + " -> " + seen[room] + "\n";
  return out;
}

TEST(HouseRules, the_design_draws_the_rooms_as_they_are) {
  const auto design = std::ranges::find(project(), "docs/design.md", &Source::path);
  ASSERT_NE(design, project().end());
  const std::string begin = "<!-- rooms: begin -->\n```\n", end = "```\n<!-- rooms: end -->";
  const std::size_t from = design->text.find(begin), to = design->text.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  EXPECT_EQ(design->text.substr(from + begin.size(), to - from - begin.size()), drawn(arrows(project())));
}
TEST(HouseRulesFail, when_two_rooms_include_each_other) {
  const Sources two = {source("workers/state/x.cpp", "#include \"workers/kernels/kernel.hpp\"\n"),
                       source("workers/kernels/y.cpp", "#include \"workers/state/queue.hpp\"\n")};
  EXPECT_THAT(arrows_back(arrows(two)), ElementsAre("workers/state -> workers/kernels"));
  const Sources tops = {source("sim/x.cpp", "#include \"results/log.hpp\"\n"),
                        source("results/y.cpp", "#include \"sim/heap.hpp\"\n")};
  EXPECT_EQ(arrows_back(arrows(tops)).size(), 2u);
}

TEST(HouseRules, simgrid_and_protobuf_stay_at_home) { EXPECT_THAT(foreign_headers(project()), IsEmpty()); }
TEST(HouseRules, nothing_in_a_run_is_left_to_chance) { EXPECT_THAT(chance(project()), IsEmpty()); }
TEST(HouseRules, both_compilers_know_every_algorithm) { EXPECT_THAT(refused_by_a_compiler(project()), IsEmpty()); }
TEST(HouseRules, no_loop_goes_over_a_hash_table) { EXPECT_THAT(iterated_hash_tables(project()), IsEmpty()); }
TEST(HouseRules, no_variable_outlives_a_run) { EXPECT_THAT(mutable_statics(project()), IsEmpty()); }
TEST(HouseRules, only_main_ends_the_process) { EXPECT_THAT(exits(project()), IsEmpty()); }
TEST(HouseRules, every_cited_section_of_the_rules_is_there) { EXPECT_THAT(dangling_citations(project()), IsEmpty()); }
TEST(HouseRules, every_link_of_a_document_leads_somewhere) { EXPECT_THAT(dangling_links(project()), IsEmpty()); }
TEST(HouseRules, every_file_that_a_document_names_is_there) { EXPECT_THAT(missing_paths(project()), IsEmpty()); }
TEST(HouseRules, tests_leave_no_files_behind) { EXPECT_THAT(temporary_files(project()), IsEmpty()); }
TEST(HouseRules, no_file_names_a_path_of_a_developers_machine) { EXPECT_THAT(outside_paths(project()), IsEmpty()); }

// The ratchets: numbers that may fall and never rise. A file or a function that must be longer is a decision, so it is
// made here.
const std::map<std::string, std::size_t>& long_files() {
  static const std::map<std::string, std::size_t> allowed = {};  // path, lines
  return allowed;
}
constexpr std::size_t kFileLimit = 400;
constexpr std::size_t kFunctionsAbove70 = 0;
constexpr std::size_t kFunctionsAbove26 = 27;

TEST(HouseRules, files_stay_below_400_lines) {
  for (const Source& f : cpp_files()) {
    const auto exception = long_files().find(f.path);
    const std::size_t limit = exception == long_files().end() ? kFileLimit : exception->second;
    EXPECT_LE(lines(f.text).size(), limit) << f.path << ": split it by idea";
  }
}

TEST(HouseRules, lines_stay_within_120_columns) {
  for (const Source& f : project())
    if (is_formatted(f.path))
      for (const Line& l : lines(f.text)) EXPECT_LE(l.text.size(), 120u) << at(f, l.number);
}

TEST(HouseRules, no_more_functions_above_70_lines_than_there_were) {
  const auto found = longer_than(70, cpp_files());
  EXPECT_LE(found.size(), kFunctionsAbove70) << list(found);
}

TEST(HouseRules, no_more_functions_above_26_lines_than_there_were) {
  const auto found = longer_than(26, cpp_files());
  EXPECT_LE(found.size(), kFunctionsAbove26) << list(found);
}

TEST(HouseRules, half_of_the_functions_have_six_lines_or_fewer_and_nine_in_ten_26) {
  const auto share = [files = cpp_files()](std::size_t limit) {
    return static_cast<double>(longer_than(limit, files).size()) / static_cast<double>(longer_than(0, files).size());
  };
  EXPECT_LE(share(6), 0.5);
  EXPECT_LE(share(26), 0.1);
}

// --- Each rule can fail. ----

TEST(HouseRulesFail, when_the_placer_includes_the_workers) {
  EXPECT_THAT(of(wrong_arrows, "placer/place/x.cpp", "\n#include \"workers/env.hpp\"\n"),
              ElementsAre("placer/place/x.cpp:2: placer/place may not include workers/env.hpp"));
}
TEST(HouseRulesFail, when_a_folder_includes_one_downstream) {
  const std::pair<const char*, const char*> wrong[] = {
      {"placer/core/x.hpp", "placer/graph/graph.hpp"},
      {"placer/graph/x.cpp", "placer/device/name.hpp"},
      {"placer/device/x.cpp", "placer/graph/graph.hpp"},
      {"placer/place/x.cpp", "placer/partition/partition.hpp"},
      {"workers/env.hpp", "workers/kernels/kernel.hpp"},
      {"workers/kernels/x.cpp", "workers/executor/executor.hpp"},
      {"workers/executor/x.cpp", "workers/worker/rpc.hpp"},
      {"workers/worker/x.cpp", "workers/master/client_graph.hpp"},
      {"workers/master/x.cpp", "workers/train/task.hpp"},
      {"workers/train/x.cpp", "sim/heap.hpp"},
      {"sim/x.cpp", "results/log.hpp"},
      {"sim/x.cpp", "scenarios/file/load.hpp"},
      {"workers/tensor/x.cpp", "workers/state/resources.hpp"},
      {"workers/state/x.cpp", "workers/kernels/kernel.hpp"},
      {"sim/x.cpp", "workers/train/task.hpp"},
      {"sim/x.cpp", "workers/worker/service.hpp"},
      {"scenarios/job/x.cpp", "scenarios/file/load.hpp"},
      {"scenarios/file/x.cpp", "scenarios/cli/commands.hpp"},
      {"scenarios/cli/x.cpp", "properties/conform/sync.hpp"},
      {"scenarios/cases/x_test.cpp", "properties/house/rules.hpp"},
      {"properties/conform/x.cpp", "properties/placement/hunt.hpp"},
      {"properties/placement/x.cpp", "properties/cli/hunt.hpp"},
      {"results/x.cpp", "workers/env.hpp"},
      {"results/x.cpp", "placer/graph/graph.hpp"},
      {"results/x.cpp", "sim/heap.hpp"},
      {"sim/x_test.cpp", "properties/house/rules.hpp"},
  };
  for (const auto& [from, to] : wrong)
    EXPECT_EQ(of(wrong_arrows, from, std::string("#include \"") + to + "\"").size(), 1u) << from << " -> " << to;
}
TEST(HouseRulesFail, not_when_an_include_points_upstream) {
  const std::pair<const char*, const char*> right[] = {
      {"placer/partition/x.cpp", "placer/place/place.hpp"},
      {"workers/kernels/x.cpp", "workers/rendezvous/key.hpp"},
      {"workers/rendezvous/x.cpp", "workers/tensor/tensor.hpp"},
      {"workers/kernels/x_test.cpp", "workers/fake_env.hpp"},
      {"sim/x.cpp", "workers/env.hpp"},
      {"results/x.cpp", "workers/events.hpp"},
      {"properties/cli/main.cpp", "scenarios/cli/program.hpp"},
  };
  for (const auto& [from, to] : right)
    EXPECT_THAT(of(wrong_arrows, from, std::string("#include \"") + to + "\""), IsEmpty()) << from << " -> " << to;
}
TEST(HouseRulesFail, when_a_folder_is_no_room) {
  EXPECT_EQ(of(wrong_arrows, "extras/x.cpp", "#include \"sim/heap.hpp\"").size(), 1u);
}
TEST(HouseRulesFail, when_simgrid_leaves_sim) {
  EXPECT_EQ(of(foreign_headers, "results/x.cpp", "#include <simgrid/s4u.hpp>").size(), 1u);
  EXPECT_THAT(of(foreign_headers, "sim/x.cpp", "#include <simgrid/s4u.hpp>"), IsEmpty());
}
TEST(HouseRulesFail, when_mpi_leaves_its_file) {
  EXPECT_EQ(of(foreign_headers, "scenarios/mpi/batch.cpp", "#include <mpi.h>").size(), 1u);
  EXPECT_THAT(of(foreign_headers, "scenarios/mpi/ranks.cpp", "#include <mpi.h>"), IsEmpty());
}
TEST(HouseRulesFail, when_protobuf_leaves_the_wire_edge) {
  for (const char* header : {"<google/protobuf/message.h>", "\"framework.pb.h\"", "\"placer/graph/wire.hpp\""}) {
    EXPECT_EQ(of(foreign_headers, "placer/place/x.cpp", std::string("#include ") + header).size(), 1u) << header;
    EXPECT_THAT(of(foreign_headers, "placer/graph/x.cpp", std::string("#include ") + header), IsEmpty()) << header;
  }
}
TEST(HouseRulesFail, when_product_code_lives_in_the_fake_world) {
  EXPECT_EQ(of(foreign_headers, "workers/train/x.cpp", "#include \"workers/fake_env.hpp\"").size(), 1u);
}
TEST(HouseRulesFail, when_a_run_depends_on_chance) {
  for (const char* code : {"int x = rand();", "std::random_device d;", "std::mt19937 g;", "#include <random>",
                           "std::unordered_map<int, int> m;", "std::unordered_set<int> s;", "std::thread t;",
                           "auto f = std::async(g);", "std::map<const Node*, int> by_address;"})
    EXPECT_EQ(of(chance, "scenarios/cli/x.cpp", code).size(), 1u) << code;
  for (const char* code : {"auto t = std::chrono::system_clock::now();", "std::chrono::steady_clock::now();",
                           "std::time(nullptr);", "getenv(\"HOME\");"})
    EXPECT_EQ(of(chance, "sim/x.cpp", code).size(), 1u) << code;
}
TEST(HouseRulesFail, not_when_the_command_line_or_a_benchmark_asks_the_clock) {
  EXPECT_THAT(of(chance, "scenarios/cli/main.cpp", "steady_clock::now(); getenv(\"X\");"), IsEmpty());
  EXPECT_THAT(of(chance, "scenarios/bench/run.cpp", "steady_clock::now();"), IsEmpty());
}
TEST(HouseRulesFail, not_for_words_in_comments_and_texts) {
  EXPECT_THAT(of(chance, "sim/x.cpp",
                 "// rand()\n/* std::thread\n */ auto s = \"getenv \\\" rand()\"; auto r = R\"x(rand() \")x\";"),
              IsEmpty());
}
TEST(HouseRulesFail, when_one_of_the_compilers_does_not_know_an_algorithm) {
  for (const char* code : {"std::ranges::stable_partition(v, f);", "std::ranges::unique(v);",
                           "for (int i : std::views::iota(0, 3)) f(i);", "if (std::ranges::contains(v, 3)) return;"})
    EXPECT_EQ(of(refused_by_a_compiler, "sim/x.cpp", code).size(), 1u) << code;
  EXPECT_THAT(
      of(refused_by_a_compiler, "sim/x.cpp", "std::stable_partition(v.begin(), v.end(), f); ranges::find(v, 3);"),
      IsEmpty());
}
TEST(HouseRulesFail, when_a_loop_goes_over_a_hash_table) {
  const std::string table = "absl::flat_hash_map<std::string_view, NodeId> ids_;\n";
  EXPECT_EQ(iterated_hash_tables(
                {source("a/x.hpp", table), source("a/x.cpp", "void f() { for (auto& [k, v] : ids_) g(k); }")})
                .size(),
            1u);
  EXPECT_THAT(iterated_hash_tables(
                  {source("a/x.hpp", table), source("a/y.cpp", "void f() { for (auto& [k, v] : ids_) g(k); }")}),
              IsEmpty());
  EXPECT_THAT(of(iterated_hash_tables, "a/x.hpp", table + "bool h(auto k) { return ids_.find(k) != ids_.end(); }"),
              IsEmpty());
}
TEST(HouseRulesFail, when_a_variable_outlives_a_call) {
  for (const char* code :
       {"void f() { static int calls; ++calls; }", "void f() { if (true) { static Value v; } }",
        "void f() { static Table t(3); }", "void f() { static auto t = [] { return 1; }(); }", "int calls = 0;",
        "namespace a { std::string name{\"x\"}; }", "static int calls;", "thread_local int x;",
        "struct X { static int count; };", "class X {\n public:\n  static inline int n = 1;\n};"})
    EXPECT_EQ(of(mutable_statics, "sim/x.cpp", code).size(), 1u) << code;
}
TEST(HouseRulesFail, not_for_constants_and_functions) {
  for (const char* code :
       {"void f() { static const Table t(3); }", "static constexpr int k = 3;", "const std::string name = \"x\";",
        "static int f(int x = 3);", "struct X { static X make(); int n = 0; };", "extern const char data[];",
        "using A = int;", "template <class T> struct Y;", "template <class T> concept Small = sizeof(T) < 9;",
        "enum class E { a, b };", "constexpr int k[] = {1, 2};",
        "struct Z {\n private:\n  static Z none() { return {}; }\n};"})
    EXPECT_THAT(of(mutable_statics, "sim/x.cpp", code), IsEmpty()) << code;
}
TEST(HouseRulesFail, when_anything_but_main_ends_the_process) {
  EXPECT_EQ(of(exits, "sim/x.cpp", "void f() { std::exit(1); }").size(), 1u);
  EXPECT_EQ(of(exits, "workers/x.cpp", "void f() { _exit(1); }").size(), 1u);
  EXPECT_THAT(of(exits, "scenarios/cli/main.cpp", "int main() { exit(1); }"), IsEmpty());
  EXPECT_THAT(of(exits, "sim/runner.cpp", "void f() { _exit(1); on_exit(2); }"), IsEmpty());
}
TEST(HouseRulesFail, when_a_file_names_a_path_of_a_developers_machine) {
  EXPECT_EQ(of(outside_paths, "README.md", std::string("see ..") + "/shared/graphs\n").size(), 1u);
  EXPECT_EQ(of(outside_paths, "scenarios/a/scenario.yaml", std::string("graph: /wo") + "rk/main/x.pb\n").size(), 1u);
}

TEST(HouseRulesFail, when_a_test_makes_its_own_temporary_files) {
  for (const char* code : {"testing::TempDir() + \"x\";", "fs::temp_directory_path() / \"x\";", "mkstemp(name);"})
    EXPECT_EQ(of(temporary_files, "sim/x_test.cpp", code).size(), 1u) << code;
  EXPECT_THAT(of(temporary_files, "sim/x_test.cpp", "Folder f; f.put(\"x\", \"\"); int temporary();"), IsEmpty());
}

TEST(HouseRulesFail, when_a_citation_names_no_section) {
  const Source rules = source("docs/rules/placer.md", "## <a id=\"C.3\"></a>C.3 Era 3\n");
  const auto offences = [&](const std::string& comment) {
    return dangling_citations({rules, source("a/x.hpp", comment)}).size();
  };
  EXPECT_EQ(offences("// docs/rules/placer.md#C.3."), 0u);
  EXPECT_EQ(offences("// docs/rules/placer.md#C.4"), 1u);
  EXPECT_EQ(offences("// docs/rules/placer.md#C.3, #C.5 and #C.6"), 2u);
  EXPECT_EQ(offences("// docs/rules/worker.md#C.3"), 1u);
  EXPECT_EQ(offences("// placer.md C.3"), 1u);
}
TEST(HouseRulesFail, when_a_document_names_a_file_that_is_not_there) {
  const Sources files = {source("docs/a.md", "see `sim/heap.hpp` and `sim/gone.hpp`, not `results/NAME.cpp`"),
                         source("sim/heap.hpp", "")};
  EXPECT_THAT(missing_paths(files), ElementsAre("docs/a.md:1: no such file: sim/gone.hpp"));
}
TEST(HouseRulesFail, when_a_link_leads_nowhere) {
  const Sources files = {source("docs/a.md", "# The first one\n[x](b.md#two) [y](../README.md) [z](#the-first-one)\n"),
                         source("docs/b.md", "<a id=\"two\"></a>\n"), source("README.md", "[docs](docs)\n")};
  EXPECT_THAT(dangling_links(files), IsEmpty());
  const Sources wrong = {source("docs/a.md", "[x](b.md#three) [y](../c.md)\n`[not](a link)`\n[z](#nothing)"),
                         source("docs/b.md", "# two\n")};
  EXPECT_EQ(dangling_links(wrong).size(), 3u);
}

// ---- The scanner sees what a reader sees. ----

std::string functions_in(const std::string& code) { return list(scan(source("x.cpp", code)).functions); }

TEST(FunctionScanner, counts_from_the_signature_to_the_closing_brace) {
  EXPECT_EQ(functions_in("namespace a {\nint f(int x,\n      int y) {\n  return x;\n}\n}\n"), "x.cpp:2: f, 4 lines\n");
}
TEST(FunctionScanner, finds_members_and_constructors_with_initialisers) {
  EXPECT_EQ(functions_in("class A : B<int> {\n public:\n  A() : x_{1}, y_(2) {\n  }\n  bool get() const { return x_; "
                         "}\n  int x_{3};\n};\n"),
            "x.cpp:3: A, 2 lines\nx.cpp:5: get, 1 lines\n");
}
TEST(FunctionScanner, counts_lambdas_and_local_types_to_the_function_around_them) {
  EXPECT_EQ(functions_in("auto f() -> int {\n  struct S { int g() { return 1; } };\n  auto h = [](int x) {\n    return "
                         "x;\n  };\n  return h(1);\n}\n"),
            "x.cpp:1: f, 7 lines\n");
}
TEST(FunctionScanner, leaves_tables_and_types_alone) {
  EXPECT_EQ(functions_in("const int k[] = {\n 1,\n 2};\nenum class E { a };\nstruct S { int x = 0; };\nusing F = void "
                         "(*)(int);\n#define M(x) { x\n"),
            "");
}
TEST(FunctionScanner, names_a_test_by_its_sentence) {
  EXPECT_EQ(functions_in("TEST(A, b_c) {\n}\nbool operator==(X a, X b) { return true; }\n"),
            "x.cpp:1: TEST(A, b_c), 2 lines\nx.cpp:3: operator==, 1 lines\n");
}

}  // namespace
}  // namespace tarry::house
