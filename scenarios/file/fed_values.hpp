// What a scenario feeds, made into tensors: values that it writes, files, and laws.
//
// A file is one of NumPy's (.npy: of the tensor's own type, C order, little endian), or any other: the raw bytes of
// elements, little endian. Its array has the tensor's shape, or a dimension more in front: then it has an entry for
// each step, and after the last one again the first.
#pragma once

#include <map>

#include "scenarios/file/spec.hpp"
#include "workers/train/program.hpp"

namespace tarry {

// Fills in the values of one program's feeds. Files are read once, however many programs there are.
class FedValues {
 public:
  explicit FedValues(const Scenario& scenario) : scenario_(scenario) {}
  // Fails: INVALID_ARGUMENT or NOT_FOUND with the value's place in the scenario, what the tensor takes and what there
  // is.
  [[nodiscard]] Status fill(ClientProgram& program);

 private:
  [[nodiscard]] StatusOr<std::shared_ptr<const FeedValues>> values_of(const Feed& feed, const FeedSpec& spec);

  const Scenario& scenario_;
  std::map<std::string, std::pair<Feed, std::shared_ptr<const FeedValues>>> made_;  // by tensor, and for which feed
};

// The tensors of a file's bytes. Fails: INVALID_ARGUMENT "what is wrong; what was expected", without the file's name.
[[nodiscard]] StatusOr<FedList> tensors_of_npy(std::string_view bytes, DataType dtype, const Shape& shape);
[[nodiscard]] StatusOr<FedList> tensors_of_raw(std::string_view bytes, DataType dtype, const Shape& shape);
// The tensor that a scenario writes. Fails likewise.
[[nodiscard]] StatusOr<FedList> tensor_of(const FeedLiteral& literal, DataType dtype, const Shape& shape);

}  // namespace tarry
