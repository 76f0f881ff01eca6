#include "workers/rendezvous/key.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

const std::string kCpu = "/job:mnist/replica:1/task:2/device:CPU:0", kGpu = "/job:mnist/replica:1/task:2/device:GPU:0";

TEST(Key, has_five_parts_and_a_hexadecimal_incarnation) {
  EXPECT_EQ(make_key(kCpu, 7890, kGpu, "var0"), kCpu + ";0000000000001ed2;" + kGpu + ";var0;0:0");
}

TEST(Key, is_read_back) {
  const std::string key = make_key(kCpu, 7890, kGpu, "var0", 3, 4);
  const auto parsed = parse_key(key);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->send_device, kCpu);
  EXPECT_EQ(parsed->recv_device, kGpu);
  EXPECT_EQ(parsed->incarnation, 7890u);
  EXPECT_EQ(parsed->tensor_name, "var0");
}

TEST(Key, is_refused_when_it_is_something_else) {
  const std::string key = make_key(kCpu, 7890, kGpu, "var0");
  for (const std::string& wrong :
       {std::string("foo;bar;baz"), kCpu + ";" + kGpu, key + ";" + key, key + ";", std::string(),
        "CPU:0;1;" + kGpu + ";v;0:0", kCpu + ";xyz;" + kGpu + ";v;0:0", kCpu + ";1;" + kGpu + ";;0:0"}) {
    const auto parsed = parse_key(wrong);
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_EQ(text_of(parsed.status()), "Invalid  rendezvous key: " + wrong);
    EXPECT_EQ(parsed.status().code(), Code::kInvalidArgument);
  }
}

RC_GTEST_PROP(Key, every_key_that_is_made_is_read_back,
              (std::uint64_t incarnation, std::uint64_t frame, std::int64_t iteration)) {
  const auto name = *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('0', 'z')));
  RC_PRE(name.find(';') == std::string::npos);
  const std::string key = make_key(kGpu, incarnation, kCpu, name, frame, iteration);
  const auto parsed = parse_key(key);
  RC_ASSERT(parsed.ok());
  RC_ASSERT(parsed->incarnation == incarnation);
  RC_ASSERT(parsed->tensor_name == name);
}

}  // namespace
}  // namespace tarry
