// What an op takes and gives, compared with the object behind its handle: a queue of two components, a table of texts.
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

class Signature {
 public:
  explicit Signature(const KernelSetup& s) : inputs_(s.inputs), outputs_(s.outputs) {}
  // The handle and then `inputs`, and `outputs`. INVALID_ARGUMENT `Signature mismatch, have: resource,int32->string
  // expected: resource,int64->string`.
  [[nodiscard]] Status match(const DataTypes& inputs, const DataTypes& outputs) const;

 private:
  DataTypes inputs_, outputs_;
};

}  // namespace tarry
