// Sidecars with mistakes: the message names the file, the key and what was expected there.

#include "scenarios/job/programs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "placer/core/folder_test.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// What is said of the graph beside this text; "" = nothing. The folder's name is left out.
std::string said_of(const std::string& sidecar) {
  const Folder folder;
  fs::copy_file(kGraphs + "/softmax_async_ps2_task0.pb.zst", folder.path() + "/mine.pb.zst");
  folder.put("mine.json", sidecar);
  std::string text(text_of(load_program(folder.path() + "/mine.pb.zst", kGraphs, {}).status()));
  const std::string name = folder.path() + "/";
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name)) text.erase(at, name.size());
  return text;
}

// With one value of a good sidecar exchanged; null takes it out.
std::string said_with(const std::string& pointer, const Json& value) {
  Json sidecar;
  std::ifstream(kGraphs + "/softmax_async_ps2_task0.json") >> sidecar;
  sidecar[Json::json_pointer(pointer)] = value;
  return said_of(sidecar.dump());
}

TEST(Sidecar, that_is_right_loads) { EXPECT_EQ(said_with("/is_chief", nullptr), ""); }

TEST(Sidecar, of_a_synchronous_job_says_how_many_initial_tokens_there_are) {
  const std::string graph = "sync_mlp_adam_w3_ps2_task0";
  const Folder folder;
  fs::copy_file(kGraphs + "/" + graph + ".pb.zst", folder.path() + "/mine.pb.zst");
  Json sidecar;
  std::ifstream(kGraphs + "/" + graph + ".json") >> sidecar;
  const auto tokens = [&](int said) {
    sidecar["sync"]["num_tokens"] = said;
    folder.put("mine.json", sidecar.dump());
    return load_program(folder.path() + "/mine.pb.zst", kGraphs, {})->sync->num_tokens;
  };
  EXPECT_EQ(tokens(-1), -1);
  EXPECT_EQ(tokens(7), 7);
}

TEST(Sidecar, with_an_unknown_key_is_refused_with_the_nearest_one) {
  EXPECT_EQ(said_with("/fetchs", Json::array()),
            "mine.json: unknown key 'fetchs'; did you mean 'fetches'? (docs/manual.md, section 7)");
  EXPECT_EQ(said_with("/session/redy_op", "x"),
            "mine.json: unknown key 'redy_op' in 'session'; did you mean 'ready_op'? (docs/manual.md, section 7)");
  EXPECT_EQ(said_with("/feeds/0/optionl", true),
            "mine.json: unknown key 'optionl' in 'feeds[0]'; did you mean 'optional'? (docs/manual.md, section 7)");
}
TEST(Sidecar, with_a_number_that_nobody_means_is_refused) {
  EXPECT_EQ(
      said_with("/feeds/0/shape/1", -5),
      "mine.json: 'feeds[0].shape[1]' is -5; expected a number from 0 to 1099511627776 (docs/manual.md, section 7)");
  EXPECT_EQ(said_with("/feeds/0/shape/1", ~std::uint64_t{0}),
            "mine.json: 'feeds[0].shape[1]' is 18446744073709551615; expected a smaller number (docs/manual.md, "
            "section 7)");
}
TEST(Sidecar, that_nests_too_deeply_or_has_too_large_a_number_is_refused) {
  EXPECT_EQ(said_of("[1e999]"), "mine.json: it has a number that is too large for JSON");
  EXPECT_EQ(said_of(std::string(100'000, '[')), "mine.json: it is JSON that is nested more than 100 deep");
}
TEST(Sidecar, that_ships_has_no_unknown_key) {
  for (const auto& entry : fs::directory_iterator(kGraphs))
    if (const std::string file = entry.path(); file.ends_with(".json")) {
      std::ifstream in(file);
      const std::string text(std::istreambuf_iterator<char>(in), {});
      EXPECT_EQ(parse_sidecar(text, file, {}).status(), Status());
    }
}

struct Mistake {
  const char* pointer;
  Json value;
  const char* message;
};

TEST(Sidecar, with_a_mistake_is_refused_with_file_key_and_what_was_expected) {
  const Mistake mistakes[] = {
      {"/targets", nullptr, "mine.json: 'targets' is missing; expected a list of texts (docs/manual.md, section 7)"},
      {"/targets", "x", "mine.json: 'targets' is \"x\"; expected a list of texts (docs/manual.md, section 7)"},
      {"/name", 5, "mine.json: 'name' is 5; expected a text (docs/manual.md, section 7)"},
      {"/is_chief", "yes", "mine.json: 'is_chief' is \"yes\"; expected true or false (docs/manual.md, section 7)"},
      {"/feeds/0/dtype", "float33",
       "mine.json: the feed x:0 has an unknown dtype; expected one such as float32, int64, string (docs/manual.md, "
       "section 7)"},
      {"/feeds/1/optional", nullptr,
       "mine.json: 'feeds[1].optional' is missing; expected true or false (docs/manual.md, section 7)"},
      {"/feeds/0/shape/1", "wide",
       "mine.json: 'feeds[0].shape[1]' is \"wide\"; expected a whole number (docs/manual.md, section 7)"},
      {"/session/init_op", 7, "mine.json: 'session.init_op' is 7; expected a text (docs/manual.md, section 7)"},
      {"/variables/0", "global_step",
       "mine.json: 'variables[0]' is \"global_step\"; expected a map (docs/manual.md, section 7)"},
  };
  for (const Mistake& m : mistakes) EXPECT_EQ(said_with(m.pointer, m.value), m.message);
}

TEST(Sidecar, with_an_unknown_key_of_its_saver_is_refused) {
  EXPECT_THAT(
      said_with("/session/saver/save_tensors", "x"),
      testing::StartsWith("mine.json: unknown key 'save_tensors' in 'session.saver'; did you mean 'save_tensor'"));
}

TEST(Sidecar, that_is_no_json_is_refused_where_it_ends_to_be) {
  EXPECT_EQ(said_of("{\"name\": \"mine\",\n  oops}"), "mine.json:2:3: it is not JSON from here on");
  EXPECT_EQ(said_of("[]"), "mine.json: it is []; expected a map (docs/manual.md, section 7)");
}

TEST(Sidecar, whose_saver_names_something_else_of_the_graph_is_refused) {
  EXPECT_EQ(said_with("/session/saver/save_tensor", "save/Const:0"),
            "mine.json: 'session.saver.save_tensor' is 'save/Const:0'; the op is PlaceholderWithDefault; expected "
            "Identity (docs/manual.md, section 7)");
  for (const char* other : {"save/control_dependency:0", "softmax/kernel/read:0"})
    EXPECT_EQ(said_with("/session/saver/save_tensor", other),
              fmt::format("mine.json: 'session.saver.save_tensor' is '{}'; expected what stands behind all that the "
                          "saver writes, such as save/Identity:0 (docs/manual.md, section 7)",
                          other));
  EXPECT_EQ(said_with("/session/saver/restore_op", "save/restore"),
            "mine.json: 'session.saver.restore_op' is 'save/restore'; expected the name of its saver_def, and the "
            "graph has no such op (docs/manual.md, section 7)");
  EXPECT_EQ(said_with("/session/saver/restore_op", "save/restore_shard"),
            "mine.json: 'session.saver.restore_op' is 'save/restore_shard'; expected what stands behind all that it "
            "restores, such as save/restore_all (docs/manual.md, section 7)");
  EXPECT_THAT(said_with("/session/saver/filename_tensor", nullptr),
              testing::HasSubstr("session.saver.filename_tensor"));
}

TEST(Graphs, whose_names_are_too_long_for_a_file_are_not_found) {
  EXPECT_EQ(find_graph(std::string(5000, 'a'), "nowhere").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace tarry
