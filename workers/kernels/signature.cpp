#include "workers/kernels/signature.hpp"

#include <algorithm>
#include <iterator>

#include "placer/graph/validate.hpp"

namespace tarry {

Status Signature::match(const DataTypes& inputs, const DataTypes& outputs) const {
  DataTypes expected{inputs_[0]};
  std::ranges::copy(inputs, std::back_inserter(expected));
  if (std::ranges::equal(inputs_, expected) && std::ranges::equal(outputs_, outputs)) return {};
  return invalid("Signature mismatch, have: {}->{} expected: {}->{}", type_names(inputs_), type_names(outputs_),
                 type_names(expected), type_names(outputs));
}

}  // namespace tarry
