// Keys of loops as texts, and what messages weigh.

#include "workers/worker/messages.hpp"

#include <gtest/gtest.h>

#include "workers/fake_env.hpp"

namespace tarry {
namespace {

TEST(WorkerMessages, a_key_ends_with_its_frame_and_iteration) {
  FakeEnv env;
  RendezvousKey key(env.name("a;b;c;d;0:0"));
  EXPECT_EQ(key_text(env, key), "a;b;c;d;0:0");
  key.iteration = 3;
  EXPECT_EQ(key_text(env, key), "a;b;c;d;0:3");
  key.frame = 12;
  EXPECT_EQ(key_text(env, key), "a;b;c;d;12:3");
  key.iteration = 0;
  EXPECT_EQ(key_text(env, key), "a;b;c;d;12:0");
}

TEST(WorkerMessages, a_key_is_read_back_from_its_text) {
  FakeEnv env;
  for (const char* const text : {"a;b;c;d;0:0", "a;b;c;d;0:3", "a;b;c;d;12:0", "a;b;c;d;12:345"}) {
    const RendezvousKey key = key_from_text(env, text);
    EXPECT_EQ(key_text(env, key), text);
    EXPECT_EQ(env.text(key.text), "a;b;c;d;0:0");
  }
  EXPECT_EQ(key_from_text(env, "a;b;c;d;12:345").frame, 12U);
  EXPECT_EQ(key_from_text(env, "a;b;c;d;12:345").iteration, 345U);
}

TEST(WorkerMessages, what_is_no_key_of_a_loop_is_a_name) {
  FakeEnv env;
  for (const char* const text : {"", ";", ":", "a:1;b", "a;1:", "a;:1", "a;1:2x", "a;x:2", "1:2"}) {
    const RendezvousKey key = key_from_text(env, text);
    EXPECT_EQ(env.text(key.text), text);
    EXPECT_EQ(key.frame, 0U);
    EXPECT_EQ(key.iteration, 0U);
  }
}

TEST(WorkerMessages, have_a_method_each) {
  EXPECT_STREQ(method_name(Method::get_status), "GetStatus");
  EXPECT_STREQ(method_name(Method::run_graph), "RunGraph");
  EXPECT_STREQ(method_name(Method::recv_tensor), "RecvTensor");
  EXPECT_STREQ(method_name(Method::mark_recv_finished), "MarkRecvFinished");
}

TEST(WorkerMessages, weigh_what_they_carry) {
  RunGraphResponse r;
  EXPECT_EQ(response_bytes(r), 32U);
  r.received.push_back({NameId{0u}, make_scalar(1.0F)});
  r.received.push_back({NameId{0u}, make_scalar(1.0)});
  EXPECT_EQ(response_bytes(r), 32U + (100 + 4) + (100 + 8));
  r.status = invalid("it broke");
  EXPECT_EQ(response_bytes(r), 100U) << "the tensors stay where they are";
  GraphSpec g;
  EXPECT_EQ(wire_bytes(g), 16U);
  g.nodes.push_back({"abc", "NoOp", "/dev", {"x", "yy"}, {{"T", DataType::kFloat}}});
  EXPECT_EQ(wire_bytes(g), 16U + (3 + 4 + 4 + 12) + (1 + 2) + (2 + 2) + (1 + 16));
}

}  // namespace
}  // namespace tarry
