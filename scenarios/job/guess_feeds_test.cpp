// What must be fed so that recorded graphs run.

#include "scenarios/job/guess_feeds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/graph/read.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

FeedHints hints(const std::string& name) { return guess_feeds(*read_graph(kGraphs + "/" + name + ".pb.zst")); }

TEST(GuessedFeeds, of_sparse_placeholders_are_rows) {
  const FeedHints h = hints("wide_deep_ps3_task0");
  ASSERT_THAT(h.sparse, SizeIs(6));
  EXPECT_EQ(h.sparse[0], (SparseFeed{"field0/indices:0", 2}));
}

TEST(GuessedFeeds, that_a_predicate_depends_on_are_values) {
  EXPECT_THAT(hints("cond_update_ps2_task0").deciding, ElementsAre("x:0"));
}

TEST(GuessedFeeds, are_none_where_no_predicate_depends_on_what_is_fed_or_only_on_its_shape) {
  for (const char* name : {"softmax_async_ps1_task0", "resnet50_ps8_task0"}) {
    EXPECT_THAT(hints(name).deciding, IsEmpty()) << name;
    EXPECT_THAT(hints(name).sparse, IsEmpty()) << name;
  }
}

Attrs of_type(DataType type, const Shape& shape) {
  Attrs attrs;
  attrs.set("dtype", type), attrs.set("shape", shape);
  return attrs;
}

TEST(GuessedFeeds, are_no_values_where_a_predicate_depends_on_a_shape_alone) {
  const auto deciding = [](const char* op) {
    return guess_feeds(GraphSpec{{{"x", "Placeholder", "", {}, of_type(DataType::kFloat, {})},
                                  {"y", op, "", {"x"}, {}},
                                  {"less", "Less", "", {"y", "y:0"}, {}},
                                  {"if", "Switch", "", {"x", "less"}, {}}}})
        .deciding;
  };
  EXPECT_THAT(deciding("Mean"), ElementsAre("x:0"));
  EXPECT_THAT(deciding("Size"), IsEmpty());
}

TEST(GuessedFeeds, of_sparse_placeholders_need_indices_and_values) {
  const NodeSpec indices{"a/indices", "Placeholder", "", {}, of_type(DataType::kInt64, Shape{-1, 3})},
      values{"a/values", "Placeholder", "", {}, {}};
  EXPECT_THAT(guess_feeds(GraphSpec{{indices, values}}).sparse, ElementsAre(SparseFeed{"a/indices:0", 3}));
  EXPECT_THAT(guess_feeds(GraphSpec{{indices}}).sparse, IsEmpty());
}

TEST(GuessedFeeds, take_no_node_for_sparse_whose_name_only_sounds_so) {
  GraphSpec graph{{{"a/indices", "Placeholder", "", {}, {}}, {"b/indices", "Const", "", {}, {}}}};
  EXPECT_THAT(guess_feeds(graph).sparse, IsEmpty());
}

}  // namespace
}  // namespace tarry
