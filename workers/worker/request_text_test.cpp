// Requests as protobuf prints them on one line (docs/rules/runtime.md#D.9).

#include "workers/worker/request_text.hpp"

#include <gtest/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

std::string said(const TensorRef& t) { return text_of(*t); }

TEST(RequestText, has_the_one_number_of_a_tensor_in_the_field_of_its_type) {
  const std::string scalar = " tensor_shape { } ";
  EXPECT_EQ(said(make_scalar(2.5F)), "dtype: DT_FLOAT" + scalar + "float_val: 2.5");
  EXPECT_EQ(said(make_scalar(2.5)), "dtype: DT_DOUBLE" + scalar + "double_val: 2.5");
  EXPECT_EQ(said(make_scalar(std::int32_t{-7})), "dtype: DT_INT32" + scalar + "int_val: -7");
  EXPECT_EQ(said(make_scalar(std::int64_t{-7})), "dtype: DT_INT64" + scalar + "int64_val: -7");
  EXPECT_EQ(said(make_scalar(true)), "dtype: DT_BOOL" + scalar + "bool_val: true");
  EXPECT_EQ(said(make_scalar(false)), "dtype: DT_BOOL" + scalar + "bool_val: false");
}

TEST(RequestText, has_small_whole_numbers_in_one_field_and_halves_as_their_bits) {
  const auto one = [](DataType type, auto value) {
    MutableTensor t = make_tensor(type, Shape());
    t->mutable_as<decltype(value)>()[0] = value;
    const std::string all = text_of(*t);
    return all.substr(all.rfind('}') + 2);
  };
  EXPECT_EQ(one(DataType::kUint8, std::uint8_t{5}), "int_val: 5");
  EXPECT_EQ(one(DataType::kInt8, std::int8_t{-5}), "int_val: -5");
  EXPECT_EQ(one(DataType::kInt16, std::int16_t{-5}), "int_val: -5");
  EXPECT_EQ(one(DataType::kUint16, std::uint16_t{65535}), "int_val: 65535");
  EXPECT_EQ(one(DataType::kUint32, std::uint32_t{7}), "uint32_val: 7");
  EXPECT_EQ(one(DataType::kUint64, std::uint64_t{7}), "uint64_val: 7");
  EXPECT_EQ(one(DataType::kHalf, Eigen::half(1.5F)), "half_val: 15872");
}

TEST(RequestText, has_texts_one_by_one_and_escapes_them) {
  MutableTensor t = make_tensor(DataType::kString, Shape());
  t->mutable_strings() = {"a\"\n"};
  EXPECT_EQ(text_of(*t), R"(dtype: DT_STRING tensor_shape { } string_val: "a\"\n")");
  MutableTensor two = make_tensor(DataType::kString, Shape({2}));
  two->mutable_strings() = {"a", "b"};
  EXPECT_EQ(text_of(*two), R"(dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: "a" string_val: "b")");
}

TEST(RequestText, has_the_bytes_of_several_numbers) {
  MutableTensor t = make_tensor(DataType::kInt32, Shape({1, 2}));
  t->mutable_as<std::int32_t>()[0] = 'A';
  t->mutable_as<std::int32_t>()[1] = 1;
  EXPECT_EQ(text_of(*t),
            "dtype: DT_INT32 tensor_shape { dim { size: 1 } dim { size: 2 } } "
            R"(tensor_content: "A\000\000\000\001\000\000\000")");
}

TEST(RequestText, has_no_values_of_what_is_empty_or_not_known) {
  EXPECT_EQ(said(make_tensor(DataType::kFloat, Shape({0}))), "dtype: DT_FLOAT tensor_shape { dim { } }")
      << "protobuf prints no 0";
  EXPECT_EQ(said(make_shape_only(DataType::kFloat, Shape({1}))), "dtype: DT_FLOAT tensor_shape { dim { size: 1 } }");
}

TEST(RequestText, has_the_fields_of_a_run_in_the_order_of_their_numbers) {
  FakeEnv env;
  RunGraphRequest r;
  EXPECT_EQ(text_of(env, r), "create_worker_session_called: true");
  r.exec = {.record_costs = true, .record_timeline = true, .report_allocations = true, .record_partition_graphs = true};
  r.graph = std::string("0000000000000001");
  r.step = StepId{5};
  r.sends.push_back({env.name("in"), make_scalar(1.0F)});
  r.receives = {env.name("out")};
  r.is_partial = r.is_last_partial = r.errors_in_body = true;
  r.session = std::string("S");
  r.request_id = 9;
  EXPECT_EQ(text_of(env, r),
            "graph_handle: \"0000000000000001\" step_id: 5 "
            "send { name: \"in\" tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } recv_key: \"out\" "
            "exec_opts { record_costs: true record_timeline: true record_partition_graphs: true "
            "report_tensor_allocations_upon_oom: true } is_partial: true is_last_partial_run: true "
            "session_handle: \"S\" store_errors_in_response_body: true create_worker_session_called: true "
            "request_id: 9");
}

TEST(RequestText, of_a_receive_is_its_step_and_key) {
  FakeEnv env;
  RecvTensorRequest r;
  r.step = StepId{5};
  r.key.text = env.name("a;b");
  r.request_id = 9;
  EXPECT_EQ(text_of(env, r), "step_id: 5 rendezvous_key: \"a;b\" request_id: 9");
}

TEST(RequestText, is_quoted_by_the_refusal_of_what_comes_twice) {
  const Status s = received_twice("RunStep (Master)", "request_id: 9");
  EXPECT_EQ(s.code(), Code::kAborted);
  EXPECT_EQ(text_of(s), "The same RunStep (Master) request was received twice. request_id: 9");
}

}  // namespace
}  // namespace tarry
