// Saving and restoring, op by op.

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/kernels/kernel.hpp"
#include "workers/state/checkpoint_files.hpp"

namespace tarry {
namespace {

TensorRef strings(std::vector<std::string> all) {
  MutableTensor t = make_tensor(DataType::kString, Shape({static_cast<std::int64_t>(all.size())}));
  t->mutable_strings() = std::move(all);
  return t;
}

struct Disk {
  FakeEnv env;
  CheckpointFiles files;
  KernelHost host{&env, TaskId{0u}, "/job:ps/replica:0/task:0/device:CPU:0", NameId::none(), nullptr, nullptr,
                  4096, &files};

  // The outputs, or the error's text.
  std::string run(std::string_view op, const std::vector<TensorRef>& inputs, std::vector<Value>& out,
                  const DataTypes& types) {
    std::vector<Value> in;
    DataTypes given;
    for (const TensorRef& t : inputs) {
      in.push_back({t, nullptr});
      given.push_back(t->dtype());
    }
    out.resize(types.size());
    const auto kernel = make_kernel({"n", op, {}, given, types, host});
    struct Context : KernelContext {
      Status ended;
    } c;
    static_cast<KernelContext&>(c) = {in, out};
    c.when_done = [](KernelContext& ended, const Status& s) { static_cast<Context&>(ended).ended = s; };
    if ((*kernel)->is_async())
      (*kernel)->compute_async(c);
    else
      c.ended = (*kernel)->compute(c);
    return c.ended.ok() ? "" : std::string(text_of(c.ended));
  }
  std::string save(const std::string& prefix, const std::string& name, TensorRef value) {
    std::vector<Value> none;
    return run("SaveV2", {make_string(prefix), strings({name}), strings({""}), std::move(value)}, none, {});
  }
  std::string merge(const std::vector<std::string>& parts, const std::string& whole) {
    std::vector<Value> none;
    return run("MergeV2Checkpoints", {strings(parts), make_string(whole)}, none, {});
  }
  std::string restore(const std::string& prefix, const std::string& name, DataType type, TensorRef& value) {
    std::vector<Value> out;
    const std::string error = run("RestoreV2", {make_string(prefix), strings({name}), strings({""})}, out, {type});
    value = out[0].tensor;
    return error;
  }
};

TEST(Checkpoints, what_was_saved_in_parts_is_restored_from_the_whole) {
  Disk d;
  EXPECT_EQ(d.save("part0", "a", make_scalar(std::int64_t{7})), "");
  EXPECT_EQ(d.save("part1", "b", make_scalar(2.5F)), "");
  EXPECT_EQ(d.merge({"part0", "part1"}, "model"), "");
  TensorRef a, b;
  EXPECT_EQ(d.restore("model", "a", DataType::kInt64, a) + d.restore("model", "b", DataType::kFloat, b), "");
  EXPECT_EQ(integer_or(a, -1), 7);
  EXPECT_EQ(b->as<float>()[0], 2.5F);
  EXPECT_EQ(d.files.find("part0"), nullptr);
}

TEST(Checkpoints, a_file_that_is_merged_anew_has_nothing_of_the_one_before) {
  Disk d;
  for (const std::int64_t step : {7, 8}) {
    EXPECT_EQ(d.save("part", step == 7 ? "a" : "b", make_scalar(step)), "");
    EXPECT_EQ(d.save("part", "step", make_scalar(step)), "");
    EXPECT_EQ(d.merge({"part"}, "model"), "");
  }
  TensorRef back;
  EXPECT_EQ(d.restore("model", "step", DataType::kInt64, back), "");
  EXPECT_EQ(integer_or(back, -1), 8);
  EXPECT_EQ(d.restore("model", "a", DataType::kInt64, back), "Key a not found in checkpoint");
}

TEST(Checkpoints, a_saved_variable_does_not_change_with_the_variable) {
  Disk d;
  MutableTensor storage = make_tensor(DataType::kInt64, Shape());
  storage->set_is_storage();
  EXPECT_EQ(d.save("model", "step", storage), "");
  storage->mutable_as<std::int64_t>()[0] = 9;
  TensorRef back;
  EXPECT_EQ(d.restore("model", "step", DataType::kInt64, back), "");
  EXPECT_EQ(integer_or(back, -1), 0);
}

TEST(Checkpoints, what_is_not_there_or_of_another_type_is_an_error) {
  Disk d;
  TensorRef none;
  EXPECT_EQ(d.restore("model", "a", DataType::kFloat, none),
            "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for model");
  EXPECT_EQ(d.save("model", "a", make_scalar(1.0F)), "");
  EXPECT_EQ(d.restore("model", "b", DataType::kFloat, none), "Key b not found in checkpoint");
  EXPECT_EQ(d.restore("model", "a", DataType::kInt64, none),
            "tensor_name = a; expected dtype int64 does not equal original dtype float");
}

TEST(Checkpoints, a_prefix_is_one_element_and_names_and_slices_are_vectors_of_one_length) {
  Disk d;
  std::vector<Value> none;
  const auto save = [&](TensorRef prefix, TensorRef names, TensorRef slices) {
    return d.run("SaveV2", {std::move(prefix), std::move(names), std::move(slices), make_scalar(1.0F)}, none, {});
  };
  EXPECT_EQ(save(strings({}), strings({"a"}), strings({""})),
            "Input prefix should have a single element, got 0 instead.");
  EXPECT_EQ(save(strings({"m"}), make_string("a"), strings({""})),
            "Input tensor_names and shape_and_slices should be an 1-D tensors, got [] and [1] instead.");
  EXPECT_EQ(save(strings({"m"}), strings({"a"}), strings({})),
            "tensor_names and shape_and_slices have different number of elements: 1 vs. 0");
  EXPECT_EQ(save(strings({"m"}), strings({"a"}), strings({""})), "");
}

TEST(Checkpoints, files_are_merged_from_a_vector_into_a_scalar) {
  Disk d;
  std::vector<Value> none;
  EXPECT_EQ(d.run("MergeV2Checkpoints", {make_string("a"), make_string("m")}, none, {}),
            "Input checkpoint_prefixes should be an 1-D tensor, got [] instead.");
  EXPECT_EQ(d.run("MergeV2Checkpoints", {strings({"a"}), strings({"m"})}, none, {}),
            "Input destination_prefix should be a scalar tensor, got [1] instead.");
  EXPECT_EQ(d.merge({}, "m"), "At least one prefix checkpoint file must exist, but none existed.");
}

TEST(Checkpoints, of_a_folders_checkpoints_the_last_few_stay) {
  CheckpointFiles files;
  for (const std::string prefix : {"m-0", "m-5", "m-10"}) {
    files.write(prefix, "a", whole_slice(Shape()), make_scalar(1.0F));
    files.completed("m", prefix, 2);
  }
  EXPECT_EQ(files.latest("m"), "m-10");
  EXPECT_EQ(files.find("m-0"), nullptr);
  EXPECT_NE(files.find("m-5"), nullptr);
  EXPECT_EQ(files.latest("elsewhere"), "");
}

// ---- parts of a tensor ----

TensorRef counted_up(const Shape& shape, float first) {
  const MutableTensor t = make_tensor(DataType::kFloat, shape);
  for (float& x : t->mutable_as<float>()) x = first++;
  return t;
}

// Rows 0 and 1 of a tensor of shape [5,4], and rows 2 to 4.
const TensorRef kUpper = counted_up(Shape({2, 4}), 0), kLower = counted_up(Shape({3, 4}), 10);

struct Parts : Disk {
  std::string save(const std::vector<std::string>& slices, const std::vector<TensorRef>& parts,
                   const std::string& prefix = "p") {
    std::vector<TensorRef> in{make_string(prefix), strings(std::vector<std::string>(slices.size(), "e")),
                              strings(slices)};
    in.insert(in.end(), parts.begin(), parts.end());
    std::vector<Value> none;
    return run("SaveV2", in, none, {});
  }
  Parts& saved() {
    EXPECT_EQ(save({"5 4 0,2:-", "5 4 2,3:-"}, {kUpper, kLower}), "");
    return *this;
  }
  std::string restored(const std::string& slice, const std::string& prefix = "p") {
    std::vector<Value> out;
    const std::string error =
        run("RestoreV2", {make_string(prefix), strings({"e"}), strings({slice})}, out, {DataType::kFloat});
    if (!error.empty()) return error;
    if (!out[0].tensor->has_data()) return "only " + to_string(out[0].tensor->shape());
    return fmt::format("{} {}", to_string(out[0].tensor->shape()), fmt::join(out[0].tensor->as<float>(), " "));
  }
};

TEST(PartsOfTensors, are_restored_as_they_were_saved_and_in_other_cuts) {
  Parts d;
  d.saved();
  EXPECT_EQ(d.restored("5 4 0,2:-"), "[2,4] 0 1 2 3 4 5 6 7");
  EXPECT_EQ(d.restored("5 4 2,3:-"), "[3,4] 10 11 12 13 14 15 16 17 18 19 20 21");
  EXPECT_EQ(d.restored("5 4 1,2:-"), "[2,4] 4 5 6 7 10 11 12 13");
  EXPECT_EQ(d.restored("5 4 1,3:1,2"), "[3,2] 5 6 11 12 15 16");
  EXPECT_EQ(d.restored("5 4 -:-"), d.restored(""));
  EXPECT_EQ(d.restored(""), "[5,4] 0 1 2 3 4 5 6 7 10 11 12 13 14 15 16 17 18 19 20 21");
}

TEST(PartsOfTensors, are_cut_from_a_whole_one) {
  Parts d;
  EXPECT_EQ(d.save({""}, {counted_up(Shape({5, 4}), 0)}), "");
  EXPECT_EQ(d.restored("5 4 1,2:2,1"), "[2,1] 6 10");
  EXPECT_EQ(
      d.restored("4 5 0,2:-"),
      "tensor_name = e; shape in shape_and_slice spec [4,5] does not match the shape stored in checkpoint: [5,4]");
}

TEST(PartsOfTensors, are_put_together_when_files_are_merged) {
  Parts d;
  EXPECT_EQ(d.save({"5 4 0,2:-"}, {kUpper}, "m1"), "");
  EXPECT_EQ(d.save({"5 4 2,3:-"}, {kLower}, "m2"), "");
  EXPECT_EQ(d.merge({"m1", "m2"}, "m"), "");
  EXPECT_EQ(d.restored("5 4 1,2:-", "m"), "[2,4] 4 5 6 7 10 11 12 13");
}

TEST(PartsOfTensors, that_lack_some_or_overlap_are_not_restored) {
  Parts d;
  EXPECT_EQ(d.save({"5 4 0,2:-"}, {kUpper}), "");
  EXPECT_EQ(d.restored("5 4 0,1:1,2"), "[1,2] 1 2");
  for (const auto& [spec, slice] : {std::pair("", "-:-"), {"5 4 1,2:-", "1,2:-"}, {"5 4 2,3:-", "2,3:-"}})
    EXPECT_EQ(d.restored(spec), std::string("Does not have sufficient slices for partitioned tensor e to restore in "
                                            "slice_spec: ") +
                                    slice);
  EXPECT_EQ(d.save({"5 4 1,3:-"}, {kLower}), "");
  for (const char* spec : {"", "5 4 0,2:-"})
    EXPECT_EQ(d.restored(spec), "Overlapping slices: existing slice = 0,2:-, new slice = 1,3:-");
}

TEST(PartsOfTensors, without_data_keep_their_shape) {
  Parts d;
  EXPECT_EQ(d.save({"5 4 0,2:-", "5 4 2,3:-"}, {kUpper, make_shape_only(DataType::kFloat, Shape({3, 4}))}), "");
  EXPECT_EQ(d.restored("5 4 1,2:-"), "only [2,4]");
  EXPECT_EQ(d.restored("5 4 0,1:-"), "[1,4] 0 1 2 3");
}

TEST(PartsOfTensors, are_saved_once_and_in_their_own_shape) {
  Parts d;
  EXPECT_EQ(d.save({"5 4 0,2:-", "5 4 0,2:-"}, {kUpper, kUpper}), "Adding duplicate key: ");
  EXPECT_EQ(d.save({"", ""}, {kUpper, kUpper}), "Adding duplicate key: e");
  EXPECT_EQ(d.save({"5 4 0,2:-", ""}, {kUpper, kUpper}), "Adding duplicate key: e");
  EXPECT_EQ(
      d.save({"5 4 0,3:-"}, {kUpper}),
      "Slice in shape_and_slice specification does not match the shape of the tensor to  save: 5 4 0,3:-, tensor: "
      "[2,4]");
  EXPECT_EQ(d.save({"2 4 -:-"}, {kUpper}), "");
}

// ---- what is wrong with storage ----

TEST(Checkpoints, cannot_be_written_where_the_storage_is_full) {
  Disk d;
  d.files.storage(TaskId{0u}).failures = 1;
  EXPECT_THAT(d.save("model", "a", make_scalar(1.0F)),
              testing::MatchesRegex("model.data-00000-of-00001.tempstate[0-9]+; No space left on device"));
  EXPECT_EQ(d.save("model", "a", make_scalar(1.0F)), "");
  d.files.storage(TaskId{0u}).is_full = true;
  EXPECT_NE(d.save("model", "a", make_scalar(1.0F)), "");
  EXPECT_FALSE(d.files.storage(TaskId{1u}).fails());
}

TEST(Checkpoints, that_are_torn_cannot_be_read_back_wherever_they_were_merged_to) {
  Disk d;
  TensorRef a;
  d.files.storage(TaskId{0u}).tears_next = true;
  EXPECT_EQ(d.save("part0", "a", make_scalar(1.0F)), "");
  EXPECT_EQ(d.save("part1", "b", make_scalar(2.0F)), "");
  EXPECT_EQ(d.merge({"part0", "part1"}, "model"), "");
  EXPECT_THAT(d.restore("model", "a", DataType::kFloat, a),
              testing::MatchesRegex("TensorBundle at model shard 0 .4 bytes.: Checksum does not match: stored [0-9]+ "
                                    "vs. calculated on the restored bytes [0-9]+"));
  EXPECT_EQ(d.restore("model", "b", DataType::kFloat, a), "");
  EXPECT_EQ(d.save("part0", "a", make_scalar(1.0F)), "");
  EXPECT_EQ(d.merge({"part0"}, "model"), "");
  EXPECT_EQ(d.restore("model", "a", DataType::kFloat, a), "");
}

TEST(Checkpoints, that_are_lost_are_no_longer_listed) {
  CheckpointFiles files;
  files.write("m-0", "a", whole_slice(Shape()), make_scalar(1.0F));
  files.completed("m", "m-0", 2);
  files.write("m-5", "a", whole_slice(Shape()), make_scalar(1.0F));
  files.lose_all();
  files.completed("m", "m-5", 2);  // it was being written
  EXPECT_EQ(files.latest("m"), "");
  EXPECT_EQ(files.find("m-0"), nullptr);
}

}  // namespace
}  // namespace tarry
