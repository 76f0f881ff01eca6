// Parts of tensors: how they are written, and what two have in common.

#include "workers/state/tensor_slice.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

std::string said(const std::string& spec) {
  const auto slice = parse_slice(spec);
  return slice.ok() ? to_string(slice->shape()) + " " + slice->text() : std::string(text_of(slice.status()));
}

TEST(TensorSlices, name_the_shape_of_the_whole_and_the_extents_of_the_part) {
  EXPECT_EQ(said("5 4 2,3:-"), "[3,4] 2,3:-");
  EXPECT_EQ(said("5 4 0,5:1,2"), "[5,2] 0,5:1,2");
  EXPECT_EQ(said("20 -"), "[20] -");
  EXPECT_EQ(said("0 4 -:-"), "[0,4] -:-");
  EXPECT_EQ(whole_slice(Shape({5, 4})).text(), "-:-");
}

// As TensorFlow 2.15.1 says it.
TEST(TensorSlices, that_are_none_are_refused_as_tensorflow_does) {
  for (const auto& [spec, text] : {
           std::pair("5", "Need least two elements in shape_and_slice specification: 5"),
           {"0,2:-", "Need least two elements in shape_and_slice specification: 0,2:-"},
           {"5 4", "Expected a pair of numbers or '-' but got '4': string = 4"},
           {"5 4 0,2:x", "Expected a pair of numbers or '-' but got 'x': string = 0,2:x"},
           {"5 4 0,2:1,2,3", "Expected a pair of numbers or '-' but got '1,2,3': string = 0,2:1,2,3"},
           {"x 4 0,2:-", "Non numerical dimension in shape_and_slice: x 4 0,2:-"},
           {"-5 4 0,2:-", "Non numerical dimension in shape_and_slice: -5 4 0,2:-"},  // TensorFlow's process ends here
           {"5  4 0,2:-", "Non numerical dimension in shape_and_slice: 5  4 0,2:-"},
           {"5 4 0,2:- ", "Non numerical dimension in shape_and_slice: 5 4 0,2:- "},
           {"5 4 -1,2:-",
            "Expected non-negative start and positive length but got start = -1, length = 2: string = -1,2:-"},
           {"5 4 0,0:-",
            "Expected non-negative start and positive length but got start = 0, length = 0: string = 0,0:-"},
           {"5 4 ", "Mismatching ranks: shape = [5,4], slice = "},
           {"5 4 0,2:-:-", "Mismatching ranks: shape = [5,4], slice = 0,2:-:-"},
           {"5 4 4,2:-", "Extent in dimension 0 out of bounds: shape = [5,4], slice = 4,2:-"},
           {"5 4 0,9:-", "Extent in dimension 0 out of bounds: shape = [5,4], slice = 0,9:-"},
       })
    EXPECT_EQ(said(spec), text);
}

TensorSlice drawn_part(const Shape& whole) {
  TensorSlice s{whole, {}};
  for (const std::int64_t dim : whole.dims) {
    const auto start = *rc::gen::inRange<std::int64_t>(0, dim);
    s.extents.push_back({start, *rc::gen::inRange<std::int64_t>(1, dim - start + 1)});
  }
  return s;
}
std::vector<std::string> words_of(const TensorSlice& s, const std::vector<std::string>& whole) {
  std::vector<std::string> out;
  const auto& dims = s.whole.dims;
  for (std::int64_t i = 0; i < s.whole.elements(); ++i) {
    bool is_in = true;
    for (std::size_t d = dims.size(), rest = static_cast<std::size_t>(i); d-- > 0;
         rest /= static_cast<std::size_t>(dims[d])) {
      const auto at = static_cast<std::int64_t>(rest % static_cast<std::size_t>(dims[d]));
      is_in = is_in && at >= s.extent(d).start && at < s.extent(d).start + s.extent(d).length;
    }
    if (is_in) out.push_back(whole[static_cast<std::size_t>(i)]);
  }
  return out;
}
TensorRef tensor_of(const TensorSlice& s, const std::vector<std::string>& whole) {
  const MutableTensor t = make_tensor(DataType::kString, s.shape());
  t->mutable_strings() = words_of(s, whole);
  return t;
}

RC_GTEST_PROP(TensorSlices, a_part_is_copied_to_where_it_belongs, ()) {
  Shape whole;
  for (int d = *rc::gen::inRange(0, 4); d > 0; --d) whole.dims.push_back(*rc::gen::inRange<std::int64_t>(1, 5));
  std::vector<std::string> words;
  for (std::int64_t i = 0; i < whole.elements(); ++i) words.push_back(std::to_string(i));
  const TensorSlice from = drawn_part(whole), to = drawn_part(whole), common = common_part(from, to);
  const MutableTensor target = make_tensor(DataType::kString, to.shape());
  copy_part(common, from, *tensor_of(from, words), to, *target);
  std::vector<std::string> expected(words.size());
  for (const std::string& word : words_of(common, words)) expected[static_cast<std::size_t>(std::stoi(word))] = word;
  RC_ASSERT(target->strings() == words_of(to, expected));
}

}  // namespace
}  // namespace tarry
