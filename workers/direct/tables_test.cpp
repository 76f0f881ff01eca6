// Lookup tables as a session sees them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

class TableSession {
 public:
  explicit TableSession(const char* op) {
    const AttrEntry keys{"key_dtype", DataType::kInt64}, values{"value_dtype", DataType::kInt64};
    const Attrs in{{"Tin", DataType::kInt64}, {"Tout", DataType::kInt64}};
    const Attrs filling{{"Tkey", DataType::kInt64}, {"Tval", DataType::kInt64}};
    std::vector<NodeSpec> nodes = {{"t", op, "", {}, {keys, values}},
                                   {"insert", "LookupTableInsertV2", "", {"t", "k", "v"}, in},
                                   {"fill", "InitializeTableV2", "", {"t", "k", "v"}, filling},
                                   {"find", "LookupTableFindV2", "", {"t", "k", "v"}, in},
                                   {"size", "LookupTableSizeV2", "", {"t"}, {}}};
    for (const char* name : {"k", "v"}) nodes.push_back({name, "Placeholder", "", {}, {{"dtype", DataType::kInt64}}});
    session_ = *DirectSession::create({nodes}, {"/job:localhost/replica:0/task:0/device:CPU:0"});
  }
  std::string run(const std::string& op, const Dims& keys, const Dims& values) {
    return text(session_->run({.feeds = feeds(keys, values), .fetches = {}, .targets = {op}}).status());
  }
  std::string find(const Dims& keys, const Dims& otherwise) {
    const auto found = session_->run({.feeds = feeds(keys, otherwise), .fetches = {"find:0"}, .targets = {}});
    return found.ok() ? to_string(Shape(integers_of(*found->front()))) : text(found.status());
  }

 private:
  static std::string text(const Status& s) {
    const std::string all(text_of(s));
    return s.ok() ? "ok" : all.substr(0, all.find('\n'));
  }
  static std::map<std::string, TensorRef> feeds(const Dims& k, const Dims& v) {
    return {{"k:0", make_vector(k)}, {"v:0", make_vector(v)}};
  }
  std::unique_ptr<DirectSession> session_;
};

TEST(Tables, of_one_filling_are_filled_once) {
  TableSession t("HashTableV2");
  EXPECT_EQ(t.find({1}, {0}), "Table not initialized.");
  EXPECT_EQ(t.run("fill", {1, 1}, {5, 6}),
            "HashTable has different value for same key. Key 1 has 5 and trying to add value 6");
  EXPECT_EQ(t.run("fill", {1, 2}, {5, 7}), "ok");
  EXPECT_EQ(t.find({2, 3, 4}, {8, 9, 9}), "[7,8,8]");  // the first default serves all
  EXPECT_EQ(t.run("fill", {1}, {5}), "Table was already initialized with different data.");
  EXPECT_EQ(t.run("insert", {1}, {5}), "Insert not supported by InitializableLookupTable implementations");
}
TEST(Tables, that_change_take_the_last_value_and_a_default_for_each_key) {
  TableSession t("MutableHashTableV2");
  EXPECT_EQ(t.run("insert", {1, 1}, {5, 6}), "ok");
  EXPECT_EQ(t.find({1, 2, 3}, {7, 8, 9}), "[6,8,9]");
  EXPECT_EQ(t.run("insert", {1, 2}, {5}), "Expected shape [2] for value, got [1]");
}

}  // namespace
}  // namespace tarry
