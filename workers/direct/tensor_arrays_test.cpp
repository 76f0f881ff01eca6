// TensorArrays of one step on several devices of a process.

#include <gtest/gtest.h>

#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

const std::vector<std::string> kDevices = {"/job:localhost/replica:0/task:0/device:CPU:0",
                                           "/job:localhost/replica:0/task:0/device:CPU:1"};

// An array of that many elements on a device, and what tells its size there.
void add_array(GraphSpec& graph, const std::string& name, const std::string& device) {
  graph.nodes.push_back({name + "_size", "Placeholder", device, {}, {{"dtype", DataType::kInt32}}});
  graph.nodes.push_back(
      {name, "TensorArrayV3", device, {name + "_size"}, {{"dtype", DataType::kFloat}, {"tensor_array_name", "rows"}}});
  graph.nodes.push_back({name + "_told", "TensorArraySizeV3", device, {name, name + ":1"}, {}});
}

TEST(TensorArrays, of_one_name_on_two_devices_are_two) {
  GraphSpec graph;
  add_array(graph, "a", kDevices[0]);
  add_array(graph, "b", kDevices[1]);
  const auto session = *DirectSession::create(graph, kDevices);
  const auto sizes = session->run({.feeds = {{"a_size:0", make_scalar(3)}, {"b_size:0", make_scalar(5)}},
                                   .fetches = {"a_told:0", "b_told:0"},
                                   .targets = {}});
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  EXPECT_EQ((*sizes)[0]->as<std::int32_t>()[0], 3);
  EXPECT_EQ((*sizes)[1]->as<std::int32_t>()[0], 5);
}

// TensorFlow counts the arrays of a process, whatever device they are on.
TEST(TensorArrays, have_the_count_of_their_process_in_their_names) {
  GraphSpec graph;
  add_array(graph, "a", kDevices[0]);
  add_array(graph, "b", kDevices[1]);
  for (NodeSpec& n : graph.nodes)
    if (n.name == "b") n.inputs.push_back("^a");
  graph.nodes.push_back({"index", "Placeholder", kDevices[1], {}, {{"dtype", DataType::kInt32}}});
  graph.nodes.push_back(
      {"read", "TensorArrayReadV3", kDevices[1], {"b", "index", "b:1"}, {{"dtype", DataType::kFloat}}});
  const auto session = *DirectSession::create(graph, kDevices);
  const auto read =
      session->run({.feeds = {{"a_size:0", make_scalar(3)}, {"b_size:0", make_scalar(5)}, {"index:0", make_scalar(2)}},
                    .fetches = {"read:0"},
                    .targets = {}});
  EXPECT_NE(text_of(read.status()).find("TensorArray rows_1: Could not read"), std::string_view::npos) << read.status();
}

}  // namespace
}  // namespace tarry
