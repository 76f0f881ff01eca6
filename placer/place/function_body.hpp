// A function's body as a graph of its own: an _Arg per argument, the body's nodes, a _Retval per return.
#pragma once

#include <span>

#include "placer/graph/op_def.hpp"
#include "placer/graph/spec.hpp"

namespace tarry {

struct FunctionBody {
  GraphSpec graph;                         // with the library, for calls inside
  std::vector<std::string> args, returns;  // names of the _Arg and _Retval nodes in order
};

// `call` gives the values of the function's own attributes. `library`: the functions that the body may call.
// Fails: INVALID_ARGUMENT when an attribute is missing, or an input names nothing in the body.
[[nodiscard]] StatusOr<FunctionBody> instantiate(const FunctionSpec& f, const FuncRef& call, const OpRegistry& ops,
                                                 std::span<const FunctionSpec> library);

}  // namespace tarry
