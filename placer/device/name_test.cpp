#include "placer/device/name.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

std::string canonical(std::string_view text) {
  const auto name = parse_device_name(text);
  return name ? to_string(*name) : "not a name";
}

TEST(DeviceName, nothing_and_a_lone_slash_are_the_name_without_fields) {
  EXPECT_EQ(parse_device_name(""), DeviceName{});
  EXPECT_EQ(parse_device_name("/"), DeviceName{});
  EXPECT_FALSE(parse_device_name("//"));
}

TEST(DeviceName, all_five_fields_are_read) {
  const DeviceName expected{"foo_bar", 1, 2, "GPU", 3};
  EXPECT_EQ(parse_device_name("/job:foo_bar/replica:1/task:2/device:GPU:3"), expected);
}

TEST(DeviceName, components_come_in_any_order_and_the_later_one_wins) {
  EXPECT_EQ(canonical("/gpu:*/job:*/replica:4"), "/replica:4/device:GPU:*");
  EXPECT_EQ(canonical("/job:a/job:b"), "/job:b");
  EXPECT_EQ(canonical("/job:a/job:*"), "");
}

TEST(DeviceName, a_star_makes_the_field_absent) {
  EXPECT_EQ(parse_device_name("/device:*:3"), (DeviceName{{}, {}, {}, {}, 3}));
  EXPECT_EQ(parse_device_name("/device:GPU"), parse_device_name("/device:GPU:*"));
}

TEST(DeviceName, only_the_legacy_forms_change_the_case_of_a_type) {
  EXPECT_EQ(canonical("/cpu:0"), "/device:CPU:0");
  EXPECT_EQ(canonical("/device:gpu:0"), "/device:gpu:0");
}

TEST(DeviceName, what_tensorflow_refuses_is_refused) {
  for (const char* text : {"foobar", "/job:123/replica:1/task:2/device:GPU:3", "/job:foo/replica:1/task:2/gpu:",
                           "/device:gpu:", "/job:foo/replica:-1/task:2", "/task:-2", "/bar:3", "/device:GPU:3/extra",
                           "/cpu", "/cpu:0x", "/tpu:0", "gpu:0", "/job:", "/job:a-b", "/replica:99999999999999999999"})
    EXPECT_FALSE(parse_device_name(text)) << text;
}

TEST(DeviceName, a_number_has_at_most_64_bits) {
  EXPECT_TRUE(parse_device_name("/task:18446744073709551615"));
  EXPECT_FALSE(parse_device_name("/task:18446744073709551616"));
}

TEST(DeviceName, a_later_device_without_a_number_takes_the_number_away) {
  EXPECT_EQ(parse_device_name("/device:GPU:1/device:GPU")->id, std::nullopt);
}

TEST(DeviceName, numbers_may_have_leading_zeros) { EXPECT_EQ(canonical("/task:007"), "/task:7"); }

DeviceName any_name() {
  const auto word = rc::gen::element<std::string>("a", "ps", "worker", "T_1");
  const auto number = rc::gen::inRange(0, 100);
  const auto maybe_word = [&] {
    return *rc::gen::arbitrary<bool>() ? std::optional<std::string>(*word) : std::nullopt;
  };
  const auto maybe_number = [&] { return *rc::gen::arbitrary<bool>() ? std::optional<int>(*number) : std::nullopt; };
  DeviceName n{maybe_word(), maybe_number(), maybe_number(), maybe_word(), maybe_number()};
  if (!n.type) n.id.reset();  // an id without a type is not printed
  return n;
}

RC_GTEST_PROP(DeviceName, what_is_printed_reads_back, ()) {
  const DeviceName name = any_name();
  RC_ASSERT(parse_device_name(to_string(name)) == name);
}

}  // namespace
}  // namespace tarry
