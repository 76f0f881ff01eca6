#include "placer/core/folder_test.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace tarry {
namespace {

namespace fs = std::filesystem;

TEST(Folder, is_empty_at_first_and_gone_with_all_that_is_in_it_at_last) {
  std::optional<Folder> folder(std::in_place);
  const std::string path = folder->path();
  EXPECT_TRUE(fs::is_empty(path));
  folder->put("a/b/c", "");
  EXPECT_FALSE(fs::is_empty(path));
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(Folder, is_another_than_that_of_any_other_test) { EXPECT_NE(Folder().path(), Folder().path()); }

TEST(Folder, puts_the_bytes_that_it_is_given_in_place_of_those_before) {
  const Folder folder;
  folder.put("x", "longer than the next");
  const std::string file = folder.put("x", std::string("a\r\n\0b", 5));
  EXPECT_EQ(file, folder.path() + "/x");
  std::ifstream in(file, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), std::string("a\r\n\0b", 5));
}

}  // namespace
}  // namespace tarry
