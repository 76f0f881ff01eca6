// What a scenario feeds: from the file's text to tensors.

#include "scenarios/file/fed_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/npy.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

std::string bytes_of(const std::vector<std::int32_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4};
}

std::string npy(const std::string& dict, const std::string& elements, char version = 1) {
  const std::size_t size = dict.size();
  std::string head = std::string(kNpyMagic) + version + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) head += static_cast<char>(size >> 8 * i & 255);
  return head + dict + elements;
}
std::string npy_of(const std::string& shape, const std::vector<std::int32_t>& numbers,
                   const std::string& type = "<i4") {
  return npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n", bytes_of(numbers));
}

std::vector<Dims> integers(const StatusOr<FedList>& list) {
  std::vector<Dims> out;
  if (list.ok())
    for (const TensorRef& t : list->steps) out.push_back(integers_of(*t));
  return out;
}
std::string said(const StatusOr<FedList>& list) { return std::string(text_of(list.status())); }

const Shape kTwo({2});

TEST(Npy, is_a_tensor_or_one_for_each_step) {
  EXPECT_THAT(integers(tensors_of_npy(npy_of("(2,)", {3, 4}), DataType::kInt32, kTwo)), ElementsAre(Dims{3, 4}));
  EXPECT_THAT(integers(tensors_of_npy(npy_of("(3, 2)", {1, 2, 3, 4, 5, 6}), DataType::kInt32, kTwo)),
              ElementsAre(Dims{1, 2}, Dims{3, 4}, Dims{5, 6}));
  EXPECT_THAT(integers(tensors_of_npy(npy_of("()", {9}), DataType::kInt32, Shape())), ElementsAre(Dims{9}));
}

TEST(Npy, that_does_not_fit_is_refused_with_what_there_is) {
  EXPECT_EQ(said(tensors_of_npy(npy_of("(3,)", {1, 2, 3}), DataType::kInt32, kTwo)),
            "the array has the shape [3]; expected the shape [2], or a dimension more in front, with an entry for each "
            "step");
  EXPECT_EQ(said(tensors_of_npy(npy_of("(2,)", {1, 2}), DataType::kInt64, kTwo)),
            "the array has elements of int32; expected int64");
  EXPECT_THAT(said(tensors_of_npy(npy_of("(2,)", {1}), DataType::kInt32, kTwo)), HasSubstr("4 bytes of elements"));
  EXPECT_THAT(said(tensors_of_npy(npy_of("(2,)", {1, 2}, ">i4"), DataType::kInt32, kTwo)), HasSubstr("little endian"));
  EXPECT_THAT(said(tensors_of_npy(npy_of("(99999999999, 2)", {1, 2}), DataType::kInt32, kTwo)),
              HasSubstr("8 bytes of elements"));
  EXPECT_THAT(said(tensors_of_npy(npy_of("(9999999999999, 2)", {1, 2}), DataType::kInt32, kTwo)),
              HasSubstr("too large"));
  EXPECT_THAT(said(tensors_of_npy(npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2,), }", bytes_of({1, 2})),
                                  DataType::kInt32, kTwo)),
              HasSubstr("Fortran"));
  EXPECT_THAT(said(tensors_of_npy("", DataType::kInt32, kTwo)), HasSubstr("no .npy file"));
}

RC_GTEST_PROP(Npy, cut_off_anywhere_is_refused, ()) {
  const std::string whole = npy_of("(2,)", {1, 2});
  const auto size = *rc::gen::inRange<std::size_t>(0, whole.size());
  RC_ASSERT(!tensors_of_npy(whole.substr(0, size), DataType::kInt32, kTwo).ok());
}

TEST(RawBytes, are_as_many_steps_as_they_fill) {
  EXPECT_THAT(integers(tensors_of_raw(bytes_of({1, 2, 3, 4}), DataType::kInt32, kTwo)),
              ElementsAre(Dims{1, 2}, Dims{3, 4}));
  EXPECT_THAT(said(tensors_of_raw(bytes_of({1, 2, 3}), DataType::kInt32, kTwo)), HasSubstr("12 bytes are not those"));
  EXPECT_FALSE(tensors_of_raw("", DataType::kInt32, kTwo).ok());
}

// ---- through a scenario: the model feeds x:0 [batch, 784] of float, and y:0 [batch] of int64 ----

Scenario scenario(const std::string& values) {
  return parse_scenario(
             "cluster: {hosts: [h], tasks: {ps/0: h, worker/0: h}}\n"
             "programs: [{task: worker/0, graph: softmax_async_ps1_task0}]\n"
             "feeds: {batch: 2, values: " +
                 values + "}\nstop: {steps: 2}\n",
             "s.yaml")
      .value();
}
StatusOr<Job> job(const std::string& values) {
  return make_job(scenario(values), {.graphs_folder = kGraphs, .keep_kernels = false, .seed = {}});
}
const FeedValues* fed(const Job& job, const std::string& tensor) {
  for (const Feed& f : job.clients[0].program.feeds)
    if (f.tensor == tensor) return f.values.get();
  return nullptr;
}
std::string refused(const std::string& values) { return std::string(text_of(job(values).status())); }

TEST(FedValues, that_the_scenario_writes_get_the_type_of_the_tensor) {
  const Job j = job("{\"y:0\": [7, 3]}").value();
  EXPECT_THAT(integers(std::get<FedList>(*fed(j, "y:0"))), ElementsAre(Dims{7, 3}));
  EXPECT_EQ(fed(j, "x:0"), nullptr);
}

TEST(FedValues, of_a_feed_are_those_of_its_towers_too) {
  const Scenario s = parse_scenario(
                         "cluster: {hosts: [h], tasks: {ps/0: h, worker/0: {host: h, gpus: 2}}}\n"
                         "build: {graph: softmax_async_ps1_task0, protocol: async, towers: 2}\n"
                         "feeds: {batch: 2, values: {\"y:0\": [7, 3]}}\nstop: {steps: 2}\n",
                         "s.yaml")
                         .value();
  const Job j = make_job(s, {.graphs_folder = kGraphs, .keep_kernels = false, .seed = {}}).value();
  EXPECT_THAT(integers(std::get<FedList>(*fed(j, "tower_1/y:0"))), ElementsAre(Dims{7, 3}));
}

TEST(FedValues, of_a_law_need_elements_that_it_can_draw) {
  EXPECT_EQ(std::get<FedUniform>(*fed(job("{\"y:0\": {uniform: {high: 10}}}").value(), "y:0")).high, 10'000'000);
  EXPECT_THAT(refused("{\"y:0\": {normal: {}}}"), HasSubstr("s.yaml:3:35: y:0: this law has no elements of int64"));
  EXPECT_THAT(refused("{\"y:0\": {uniform: {high: 1.5}}}"), HasSubstr("expected whole numbers"));
  EXPECT_THAT(refused("{\"y:0\": {uniform: {low: 3, high: 3}}}"), HasSubstr("low is not below its high"));
}

TEST(FedValues, that_do_not_fit_are_refused_with_their_place) {
  EXPECT_THAT(refused("{\"y:0\": [7]}"),
              HasSubstr("s.yaml:3:35: y:0: the value has the shape [1]; expected the shape [2]"));
  EXPECT_THAT(refused("{\"y:0\": [7, x]}"), HasSubstr("expected elements of int64, found 'x'"));
  EXPECT_THAT(refused("{\"z:0\": [7]}"), HasSubstr("s.yaml:3:35: the job's clients feed no 'z:0'"));
  EXPECT_THAT(refused("{\"y:0\": {file: none.npy}}"), HasSubstr("none.npy"));
}

TEST(FedValues, in_lists_of_unequal_length_or_depth_are_refused_where_they_differ) {
  const auto wrong = [](const std::string& value) {
    return std::string(text_of(parse_scenario("feeds: {values: {\"y:0\": " + value + "}}", "s.yaml").status()));
  };
  EXPECT_EQ(wrong("[[1, 2], [3]]"), "s.yaml:1:34: expected a list of 2, as before, found one of 1");
  EXPECT_EQ(wrong("[[1, 2], 3]"), "s.yaml:1:34: these lists are not equally deep");
  EXPECT_EQ(wrong("[1, [2]]"), "s.yaml:1:29: these lists are not equally deep");
}

}  // namespace
}  // namespace tarry
