// Hand-written protocols for any number of workers: the recorded graphs come back, and training gives what one machine
// gives on all examples (docs/rules/runtime.md#G.2).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/conform/graph_match.hpp"
#include "properties/conform/training_cluster.hpp"

namespace tarry {
namespace {

constexpr int kFeatures = 100, kTableRows = 33'000, kDenseExamples = 32, kSparseExamples = 16, kEntries = 8;
constexpr double kRate = 0.1;  // the recorded graphs'

JobPlan plan_for(int workers, Gathering gathering = Gathering::list) {
  return {.protocol = Protocol::handwritten, .workers = workers, .gathering = gathering};
}

ClientProgram rebuilt(const ClientProgram& from, const JobPlan& plan) {
  auto job = build_job(from, plan);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() ? job->at(0) : ClientProgram();
}

std::vector<std::string> feeds_of(const ClientProgram& p) {
  std::vector<std::string> names;
  for (const Feed& f : p.feeds) names.push_back(f.tensor);
  std::ranges::sort(names);
  return names;
}

// ---- graphs ----

class HandwrittenGraphs : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Recorded, HandwrittenGraphs, testing::Values("handwritten_dense_w3", "handwritten_sparse_w3"));

TEST_P(HandwrittenGraphs, of_two_or_of_five_workers_made_three_again_are_the_recorded_one) {
  const ClientProgram theirs = shipped_program(GetParam());
  for (const int workers : {2, 5}) {
    const ClientProgram ours = rebuilt(rebuilt(theirs, plan_for(workers)), plan_for(3));
    EXPECT_EQ(difference(*ours.graph, *theirs.graph), "") << workers;
    EXPECT_EQ(feeds_of(ours), feeds_of(theirs));
  }
}

TEST_P(HandwrittenGraphs, with_a_queue_have_one_and_otherwise_what_the_recorded_one_has) {
  const ClientProgram theirs = shipped_program(GetParam()), ours = rebuilt(theirs, plan_for(3, Gathering::queue));
  const auto count = [&](const char* op) { return std::ranges::count(ours.graph->nodes, op, &NodeSpec::op); };
  EXPECT_EQ(std::tuple(count("FIFOQueueV2"), count("QueueEnqueueV2"), count("QueueDequeueV2")), std::tuple(1, 3, 3));
  EXPECT_EQ(ours.graph->nodes.size(), theirs.graph->nodes.size() + 7);
}

TEST(Handwritten, needs_a_graph_that_is_written_for_several_workers) {
  const auto job = build_job(shipped_program("softmax_async_ps1_task0"), plan_for(3));
  EXPECT_EQ(text_of(job.status()),
            "cannot build a job from the graph softmax_async_ps1_task0: it has not the ops of several workers "
            "(worker0/..., worker1/...), as a hand-written protocol has");
}

// ---- a data set: examples by number, the same whoever has them ----

float feature(int example, int i) {
  return static_cast<float>(hash64(fmt::format("x {} {}", example, i)) % 2000) / 1000.0f - 1.0f;
}
float label(int example) { return hash64(fmt::format("y {}", example)) % 2 == 0 ? 1.0f : -1.0f; }
int row(int example, int i) { return static_cast<int>(hash64(fmt::format("row {} {}", example, i)) % kTableRows); }

template <class T, class F>
AttrValue table(DataType type, Shape shape, int first, int columns, F value) {
  std::vector<T> all;
  for (int e = first; e < first + shape.dims[0]; ++e)
    for (int i = 0; i < columns; ++i) all.push_back(value(e, i));
  return tensor_value(type, std::move(shape), all);
}

AttrValue value_of(const std::string& what, int first) {
  const auto one_label = [](int e, int) { return label(e); };
  if (what == "x")
    return table<float>(DataType::kFloat, Shape({kDenseExamples, kFeatures}), first * kDenseExamples, kFeatures,
                        feature);
  if (what == "y")
    return table<float>(DataType::kFloat, Shape({kDenseExamples, 1}), first * kDenseExamples, 1, one_label);
  if (what == "indices")
    return table<std::int32_t>(DataType::kInt32, Shape({kSparseExamples, kEntries}), first * kSparseExamples, kEntries,
                               row);
  if (what == "values")
    return table<float>(DataType::kFloat, Shape({kSparseExamples, kEntries}), first * kSparseExamples, kEntries,
                        feature);
  return table<float>(DataType::kFloat, Shape({kSparseExamples}), first * kSparseExamples, 1, one_label);
}

// Its placeholders hold worker i's part of the examples.
ClientProgram with_data(ClientProgram p) {
  auto graph = std::make_shared<GraphSpec>(*p.graph);
  for (NodeSpec& n : graph->nodes) {
    if (n.op != "Placeholder") continue;
    const auto slash = n.name.find('/');
    const AttrValue value =
        value_of(n.name.substr(slash + 1), std::stoi(n.name.substr(std::string_view("worker").size(), slash)));
    n = {n.name, "Const", n.device, {}, {{"dtype", *n.attrs.get<DataType>("dtype")}, {"value", value}}};
  }
  p.graph = std::move(graph);
  p.feeds.clear();
  return p;
}

// ---- the same on one machine, in double precision ----

struct Entry {
  int row;
  double x;
};
std::vector<Entry> entries(bool is_sparse, int example) {
  std::vector<Entry> all;
  for (int i = 0; i < (is_sparse ? kEntries : kFeatures); ++i)
    all.push_back({is_sparse ? row(example, i) : i, feature(example, i)});
  return all;
}

std::vector<float> sequential(bool is_sparse, int workers) {
  const int batch = is_sparse ? kSparseExamples : kDenseExamples;
  std::vector<double> w(is_sparse ? kTableRows : kFeatures, 0.0);
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> gradient(w.size(), 0.0);
    for (int e = 0; e < workers * batch; ++e) {
      double margin = 0;
      for (const Entry& x : entries(is_sparse, e)) margin += label(e) * w[static_cast<std::size_t>(x.row)] * x.x;
      for (const Entry& x : entries(is_sparse, e))
        gradient[static_cast<std::size_t>(x.row)] += label(e) * (1 / (1 + std::exp(-margin)) - 1) / batch * x.x;
    }
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= kRate * gradient[i];
  }
  return {w.begin(), w.end()};
}

struct Summed {
  const char* graph;
  int workers;
  Gathering gathering;
};
std::ostream& operator<<(std::ostream& out, const Summed& w) {
  return out << w.graph << " by " << w.workers << (w.gathering == Gathering::queue ? " with a queue" : "");
}

class HandwrittenValues : public testing::TestWithParam<Summed> {};
INSTANTIATE_TEST_SUITE_P(Ways, HandwrittenValues,
                         testing::Values(Summed{"handwritten_dense_w3", 3, Gathering::list},
                                         Summed{"handwritten_dense_w3", 3, Gathering::queue},
                                         Summed{"handwritten_dense_w3", 5, Gathering::list},
                                         Summed{"handwritten_dense_w3", 1, Gathering::list},
                                         Summed{"handwritten_sparse_w3", 3, Gathering::list},
                                         Summed{"handwritten_sparse_w3", 3, Gathering::queue},
                                         Summed{"handwritten_sparse_w3", 4, Gathering::queue}));

TEST_P(HandwrittenValues, are_those_of_one_machine_with_all_examples) {
  const Summed way = GetParam();
  const bool is_sparse = std::string(way.graph).find("sparse") != std::string::npos;
  TrainingCluster cluster(0, way.workers,
                          {with_data(rebuilt(shipped_program(way.graph), plan_for(way.workers, way.gathering)))});
  cluster.train();
  const std::vector<float> trained = cluster.read("w/read:0"), alone = sequential(is_sparse, way.workers);
  EXPECT_LT(farthest(trained, alone), 1e-5f);
  EXPECT_GT(farthest(alone, std::vector<float>(alone.size(), 0.0f)), 1e-2f) << "nothing was learnt";
}

}  // namespace
}  // namespace tarry
