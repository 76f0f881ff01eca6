// Conversions between protobuf messages and plain values. Private to placer/graph: nothing else includes it.
#pragma once

#include "framework.pb.h"
#include "placer/core/status.hpp"
#include "placer/graph/op_def.hpp"
#include "placer/graph/spec.hpp"

namespace tarry {

[[nodiscard]] StatusOr<GraphSpec> from_proto(const tensorflow::GraphDef& proto);
[[nodiscard]] OpDef from_proto(const tensorflow::OpDef& proto);
[[nodiscard]] KernelDef from_proto(const tensorflow::KernelDef& proto);
[[nodiscard]] AttrValue from_proto(const tensorflow::AttrValue& proto);
[[nodiscard]] Shape from_proto(const tensorflow::TensorShapeProto& proto);  // as written: it may be no shape
[[nodiscard]] std::shared_ptr<const TensorSpec> from_proto(const tensorflow::TensorProto& proto);

// Elements of this type are in a TensorProto's int_val.
[[nodiscard]] bool is_kept_as_int(DataType type);

void to_proto(const GraphSpec& spec, tensorflow::GraphDef& proto);

}  // namespace tarry
