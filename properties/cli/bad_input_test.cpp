// What the program does with bad input: one clear message, exit code 2, bounded memory, nothing overwritten.
//
// The built program is run as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;

const std::string kHome = TARRY_SOURCE_DIR;
#ifdef __SANITIZE_ADDRESS__  // its shadow and what it keeps of freed memory come on top
constexpr long kMostMemory = 800 * 1024;
#else
constexpr long kMostMemory = 200 * 1024;
#endif

const std::string& good_graph() {
  static const std::string bytes = *read_file(kHome + "/scenarios/graphs/softmax_async_ps1_task0.pb.zst");
  return bytes;
}
std::string good_scenario() { return *read_file(kHome + "/scenarios/cases/010_uneven_ps/scenario.yaml"); }

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  check(at != std::string::npos, "the good scenario has what the test changes");
  return text.replace(at, from.size(), to);
}

std::string nested(int depth) {
  std::string text = "node { name: 'a' op: 'b' attr { key: 'f' value { func { name: 'g' ";
  for (int i = 0; i < depth; ++i) text += "attr { key: 'f' value { func { name: 'g' ";
  return text;
}

struct Case {
  const char* name;
  std::function<std::vector<std::string>(const Folder&)> words;
  const char* says;
};

std::vector<std::string> place(const Folder& f, const std::string& bytes) { return {"place", f.put("g.pb", bytes)}; }
std::vector<std::string> run(const Folder& f, const std::string& yaml) { return {"run", f.put("scenario.yaml", yaml)}; }

// y = x, a vector of two numbers; one step of it.
std::vector<std::string> exec(const Folder& f, std::vector<std::string> more) {
  const std::string graph =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'shape' value { "
      "shape { dim { size: 2 } } } } }"
      " node { name: 'y' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_INT32 } } }";
  std::vector<std::string> words{"exec", f.put("g.pbtxt", graph), "--fetch", "y"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<Case> kCases{
    {"truncated_graph", [](const Folder& f) { return place(f, good_graph().substr(0, good_graph().size() / 2)); },
     "at byte"},
    {"bit_flipped_graph",
     [](const Folder& f) {
       std::string b = good_graph();
       b[1] = static_cast<char>(b[1] ^ 0x40);
       return place(f, b);
     },
     "g.pb"},
    {"two_gigabyte_length", [](const Folder& f) { return place(f, std::string("\x0a\xff\xff\xff\xff\x07xx", 8)); },
     "2147483647 bytes follow"},
    {"million_deep_text", [](const Folder& f) { return place(f, nested(1'000'000)); }, "g.pb:1:"},
    {"unknown_op", [](const Folder& f) { return place(f, "node { name: 'n' op: 'MatMull' }"); },
     "did you mean 'MatMul'"},
    {"cycle_without_merge",
     [](const Folder& f) {
       return place(f, "node { name: 'a' op: 'NoOp' input: '^b' } node { name: 'b' op: 'NoOp' input: '^a' }");
     },
     "2 nodes in a cycle"},
    {"name_twice",
     [](const Folder& f) { return place(f, "node { name: 'a' op: 'NoOp' } node { name: 'a' op: 'NoOp' }"); },
     "Node 'a' is not unique"},
    {"unknown_input", [](const Folder& f) { return place(f, "node { name: 'a' op: 'NoOp' input: '^ghost' }"); },
     "Unknown input node '^ghost'"},
    {"field_that_is_not_one",
     [](const Folder& f) {
       return place(
           f,
           "node { name: 'a' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { "
           "tensor { dtype: DT_FLOAT tensor_shape { dim { size: -7 } } tensor_content: 'x' } } } } zzz");
     },
     "g.pb:1:"},
    {"malformed_device", [](const Folder& f) { return place(f, "node { name: 'a' op: 'NoOp' device: '/foo:bar' }"); },
     "Malformed device specification '/foo:bar'"},
    {"not_a_graph", [](const Folder& f) { return place(f, "\x01\x02\x03\x04 rubbish"); }, "not a GraphDef"},
    {"empty_file", [](const Folder& f) { return place(f, ""); }, "is empty"},
    {"missing_file",
     [](const Folder&) {
       return std::vector<std::string>{"place", "/no/such/graph.pb"};
     },
     "/no/such/graph.pb: no such file"},
    {"folder_as_graph",
     [](const Folder& f) {
       return std::vector<std::string>{"place", f.path()};
     },
     "is a folder"},
    {"mistyped_graph_name",
     [](const Folder&) {
       return std::vector<std::string>{"place", "resnet50_ps8_task1"};
     },
     "did you mean 'resnet50_ps8_task0'"},
    {"bad_device_list",
     [](const Folder&) {
       return std::vector<std::string>{"place", "softmax_async_ps1_task0", "--devices", "/job:ps/tusk:0"};
     },
     "is not a device name"},
    {"mistyped_key", [](const Folder& f) { return run(f, with(good_scenario(), "latency", "latancy")); },
     "did you mean 'latency'"},
    {"wrong_unit", [](const Folder& f) { return run(f, with(good_scenario(), "200ms", "200 parsecs")); },
     "scenario.yaml:"},
    {"no_unit", [](const Folder& f) { return run(f, with(good_scenario(), "latency: 1s", "latency: 1")); },
     "scenario.yaml:"},
    {"negative_latency", [](const Folder& f) { return run(f, with(good_scenario(), "latency: 1s", "latency: -1s")); },
     "scenario.yaml:"},
    {"unknown_host",
     [](const Folder& f) { return run(f, with(good_scenario(), "/job:ps/task:0: host0", "/job:ps/task:0: host9")); },
     "host9"},
    {"unknown_task",
     [](const Folder& f) {
       return run(f, with(good_scenario(), "task: /job:worker/task:2,", "task: /job:worker/task:7,"));
     },
     "task:7"},
    {"missing_graph",
     [](const Folder& f) {
       return run(f, with(good_scenario(), "sync_softmax_w3_r3_ps1_task2", "sync_softmax_w3_r3_ps1_task9"));
     },
     "did you mean 'sync_softmax_w3_r3_ps1_task"},
    {"deep_yaml", [](const Folder& f) { return run(f, std::string(900'000, '[')); }, "scenario.yaml:"},
    {"alias_bomb",
     [](const Folder& f) {
       return run(f,
                  "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c "
                  "[*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n");
     },
     "scenario.yaml:"},
    {"empty_scenario", [](const Folder& f) { return run(f, ""); }, "scenario.yaml"},
    {"missing_scenario",
     [](const Folder&) {
       return std::vector<std::string>{"run", "10_unevn_ps"};
     },
     "did you mean '010_uneven_ps'"},
    {"folder_without_scenario",
     [](const Folder& f) {
       return std::vector<std::string>{"run", f.path()};
     },
     "scenario.yaml"},
    {"fault_without_a_time", [](const Folder& f) { return run(f, good_scenario() + "faults: [{kill: worker/1}]\n"); },
     "a fault needs either 'at' or 'after'"},
    {"not_a_log",
     [](const Folder& f) {
       return std::vector<std::string>{"judge", f.put("x.log", "hello")};
     },
     "not a log of tarry"},
    {"damaged_log",
     [](const Folder& f) {
       return std::vector<std::string>{"judge", f.put("x.log", "tarry log 5\n0\n{}\nrubbish")};
     },
     "a damaged log"},
    {"list_of_nothing",
     [](const Folder&) {
       return std::vector<std::string>{"list", "flying", "saucers"};
     },
     "no scenario speaks of flying and saucers"},
    {"path_of_aggregate_zero",
     [](const Folder&) {
       return std::vector<std::string>{"path", "010_uneven_ps", "--aggregate", "0"};
     },
     "--aggregate: the first one is 1"},
    {"path_of_no_step",
     [](const Folder&) {
       return std::vector<std::string>{"path", "010_uneven_ps", "--step", ""};
     },
     "--step: needs a task, such as worker/1:7"},
    {"escapes_in_a_name",
     [](const Folder&) {
       return std::vector<std::string>{"run", "a\033[31m"};
     },
     "a\\x1b[31m: no such scenario"},
    {"empty_list", [](const Folder& f) { return run(f, good_scenario() + "measured: {}\n"); }, "found an empty map"},
    {"feed_that_is_no_value",
     [](const Folder& f) {
       return exec(f, {"--feed", "x=[1,"});
     },
     "--feed 'x=[1,': expected JSON"},
    {"feed_of_a_file_that_is_not_there",
     [](const Folder& f) {
       return exec(f, {"--feed", "x=/no/such.json"});
     },
     "there is no such file"},
    {"feed_of_another_type",
     [](const Folder& f) {
       return exec(f, {"--feed", "x=[1.5, 2]"});
     },
     "expected int32 elements, found 1.5"},
    {"feed_too_large",
     [](const Folder& f) {
       return exec(f, {"--feed", "x=[3000000000, 1]"});
     },
     "expected int32 elements, found 3000000000"},
    {"feed_of_unequal_lists",
     [](const Folder& f) {
       return exec(f, {"--feed", "x=[[1, 2], [3]]"});
     },
     "lists of one level must be equally long"},
    {"feed_of_another_shape",
     [](const Folder& f) {
       return exec(f, {"--feed", "x=[1, 2, 3]"});
     },
     "the placeholder wants shape [2], found [3]"},
    {"feed_of_an_empty_list",
     [](const Folder& f) {
       return exec(f, {"--feed", "x=[]"});
     },
     R"(shape [2], found [0]; an empty tensor says its shape: {"dtype": "float32", "shape": [0, 3], "value": []})"},
    {"feed_given_twice",
     [](const Folder& f) {
       return exec(f, {"--feed", "x=[1, 2]", "--feed", "x=[3, 4]"});
     },
     "x:0 is fed already"},
    {"timeline_that_cannot_be_written",
     [](const Folder& f) {
       return exec(f, {"--feed", "x=[1, 2]", "--timeline", "/no/such/folder/t.json"});
     },
     "--timeline: there is no folder /no/such/folder"},
    {"conform_of_a_folder_that_is_not_there",
     [](const Folder& f) {
       return std::vector<std::string>{"conform", "executor", f.path() + "/no"};
     },
     "/no: no such file or folder"},
    {"recordings_of_nothing",
     [](const Folder& f) {
       return std::vector<std::string>{"conform", "executor", f.path()};
     },
     "nothing to compare"},
    {"number_below_zero",
     [](const Folder&) {
       return std::vector<std::string>{"hunt", "placement", "--cases", "-1"};
     },
     "--cases"},
    {"stop_that_never_comes",
     [](const Folder& f) {
       return run(
           f, with(*read_file(kHome + "/scenarios/cases/059_async8/scenario.yaml"), "{time: 60s}", "{aggregates: 5}"));
     },
     "expected steps, global_step or time"},
    {"rules_for_random_programs",
     [](const Folder&) {
       return std::vector<std::string>{"hunt", "programs", "--rules", "1.12"};
     },
     "--rules"},
    {"placer_for_random_programs",
     [](const Folder&) {
       return std::vector<std::string>{"hunt", "programs", "--placer", "cat"};
     },
     "--placer"},
    {"audit_that_saves",
     [](const Folder& f) {
       return std::vector<std::string>{"hunt", "audit", "placement", "--save", f.path()};
     },
     "--save"},
    {"planted_bugs_with_a_seed",
     [](const Folder&) {
       return std::vector<std::string>{"hunt", "planted", "--seed", "3"};
     },
     "--seed"},
    {"timeout_of_no_program",
     [](const Folder&) {
       return std::vector<std::string>{"hunt", "placement", "--timeout-ms", "3"};
     },
     "--timeout-ms requires --placer"},
    {"mistyped_fetch",
     [](const Folder& f) {
       return exec(f, {"--fetch", "yy"});
     },
     "node yy:0: not found; did you mean 'y'?"},
    {"mistyped_target",
     [](const Folder& f) {
       return exec(f, {"--target", "yy"});
     },
     "not found: yy ; did you mean 'y'?"},
    {"mistyped_initialiser",
     [](const Folder& f) {
       return exec(f, {"--init", "yy"});
     },
     "not found: yy ; did you mean 'y'?"},
    {"mistyped_feed",
     [](const Folder& f) {
       return exec(f, {"--feed", "xx=1"});
     },
     "the graph has no tensor xx:0; did you mean 'x'?"},
    {"graph_that_exec_cannot_import",
     [](const Folder& f) {
       return std::vector<std::string>{"exec", f.put("g.pbtxt", "node { name: 'n' op: 'MatMull' }")};
     },
     "g.pbtxt: Op type not registered 'MatMull'"},
    {"graph_with_a_number_that_is_no_type",
     [](const Folder& f) {
       const std::string node = "node { name: 'p' op: 'Placeholder' attr { key: 'dtype' value { type: 99 } } }";
       return std::vector<std::string>{"place", f.put("g.pbtxt", node)};
     },
     "g.pbtxt: AttrValue has invalid DataType enum: 99"},
    {"mistyped_op_of_a_cost", [](const Folder& f) { return run(f, with(good_scenario(), "op: Sparse", "op: Sprase")); },
     "did you mean 'SparseSoftmaxCrossEntropyWithLogits'?"},
    {"seed_beyond_64_bits",
     [](const Folder&) {
       return std::vector<std::string>{"run", "uneven_ps", "--seed", "99999999999999999999"};
     },
     "larger than 2^64 - 1"},
    {"budget_that_is_too_small",
     [](const Folder&) {
       return std::vector<std::string>{"run", "uneven_ps", "--memory", "10MB"};
     },
     "at least 64MiB"},
    {"graph_in_place_of_a_scenario",
     [](const Folder& f) {
       return std::vector<std::string>{"run", f.put("mlp.pb", "x")};
     },
     "this is a graph, and a scenario is wanted"},
    {"two_forms_of_one_answer",
     [](const Folder&) {
       return std::vector<std::string>{"place", "softmax_async_ps1_task0", "--dot", "--json"};
     },
     "--dot and --json are two forms"},
    {"folder_without_a_name",
     [](const Folder&) {
       return std::vector<std::string>{"partition", "softmax_async_ps1_task0", "--out", ""};
     },
     "needs the name of a folder"},
    {"output_without_a_name",
     [](const Folder&) {
       return std::vector<std::string>{"run", "000_hello", "--trace", ""};
     },
     "needs the name of a file"},
    {"output_to_a_dash",
     [](const Folder&) {
       return std::vector<std::string>{"sweep", "backup_workers", "--csv", "-"};
     },
     "'-' is no file; for standard output say /dev/stdout"},
    {"hunt_for_what_is_misspelt",
     [](const Folder&) {
       return std::vector<std::string>{"hunt", "placment"};
     },
     "hunt has no 'placment'; did you mean 'placement'?"},
    {"option_that_is_not_there",
     [](const Folder&) {
       return std::vector<std::string>{"place", "--rule", "2.15"};
     },
     "place has no option '--rule'; did you mean '--rules'?"},
    {"partitioner_that_answers_nothing_of_use",
     [](const Folder&) {
       return std::vector<std::string>{"hunt", "partition", "--placer", "/bin/cat", "--cases", "3"};
     },
     "no cut was compared"},
    {"filter_that_is_no_expression",
     [](const Folder&) {
       return std::vector<std::string>{"bench", "placer", "--filter", "("};
     },
     "is no regular expression"},
    {"placer_that_is_not_there",
     [](const Folder&) {
       return std::vector<std::string>{"hunt", "placement", "--placer", "/nonexistent", "--cases", "10"};
     },
     "the shell finds no such program"},
    {"log_of_future_ids",
     [](const Folder& f) {
       return std::vector<std::string>{"judge", f.put("x.log", "tarry log 5\n0\n{}\n")};
     },
     "a damaged log"},
    {"unknown_command", [](const Folder&) { return std::vector<std::string>{"rnu"}; }, "did you mean 'run'"},
};

class BadInput : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Program, BadInput, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(BadInput, is_answered_with_one_message_and_exit_code_2) {
  const Folder folder;
  const Answer a = ask_tarry(GetParam().words(folder));
  EXPECT_EQ(a.exit_code, 2) << a.message;
  EXPECT_THAT(a.message, HasSubstr(GetParam().says));
  EXPECT_LT(a.peak_kib, kMostMemory);
}

}  // namespace
}  // namespace tarry
