#include "workers/kernels/signature.hpp"

#include <algorithm>

#include "placer/graph/validate.hpp"

namespace tarry {

Status Signature::match(const DataTypes& inputs, const DataTypes& outputs) const {
  DataTypes expected{inputs_[0]};
  expected.insert(expected.end(), inputs.begin(), inputs.end());
  if (std::ranges::equal(inputs_, expected) && std::ranges::equal(outputs_, outputs)) return {};
  return invalid("Signature mismatch, have: {}->{} expected: {}->{}", type_names(inputs_), type_names(outputs_),
                 type_names(expected), type_names(outputs));
}

}  // namespace tarry
