#include <google/protobuf/util/json_util.h>

#include "placer/graph/read.hpp"
#include "placer/graph/wire.hpp"

namespace tarry {

StatusOr<GraphSpec> parse_graph_json(std::string_view json) {
  tensorflow::GraphDef proto;
  const auto status = google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &proto);
  if (!status.ok()) return invalid("not a GraphDef in proto3 JSON: {}", status.ToString());
  return from_proto(proto);
}

}  // namespace tarry
