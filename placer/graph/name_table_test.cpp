#include "placer/graph/name_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tarry {
namespace {

TEST(NameTable, ids_count_from_0_and_a_text_has_one) {
  NameTable names;
  EXPECT_EQ(names.intern("a"), NameId{0u});
  EXPECT_EQ(names.intern(""), NameId{1u});
  EXPECT_EQ(names.intern("a"), NameId{0u});
  EXPECT_EQ(names.find("b"), NameId::none());
  EXPECT_EQ(names[NameId{1u}], "");
}

TEST(NameTable, a_copy_and_its_copy_keep_their_texts_when_the_others_are_gone) {
  const std::string text(5000, 'x');
  auto first = std::make_unique<NameTable>();
  first->intern(text);
  auto second = std::make_unique<NameTable>(*first);
  first.reset();
  second->intern("y" + text);
  NameTable third = *second;
  second.reset();
  std::make_unique<std::string>(20'000, 'z').reset();  // what was freed is written over
  EXPECT_EQ(third[NameId{0u}], text);
  EXPECT_EQ(third.find("y" + text), NameId{1u});
}

TEST(NameTable, copies_grow_apart) {
  NameTable a;
  a.intern("both");
  NameTable b = a;
  EXPECT_EQ(a.intern("a"), NameId{1u});
  EXPECT_EQ(b.intern("b"), NameId{1u});
  EXPECT_EQ(b.find("a"), NameId::none());
  EXPECT_EQ(a[NameId{1u}], "a");
}

}  // namespace
}  // namespace tarry
