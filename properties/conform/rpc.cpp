#include "properties/conform/rpc.hpp"

#include <filesystem>

#include "placer/graph/read.hpp"
#include "properties/conform/rpc/replay.hpp"

namespace tarry {
namespace {

auto replay_of(const std::string& name) {
  if (name.starts_with("worker_")) return rpc::replay_worker;
  return name.starts_with("client_") ? rpc::replay_client : rpc::replay_master;
}

}  // namespace

StatusOr<RpcVerdict> conform_rpc(const std::string& path) {
  TARRY_ASSIGN(const std::string text, read_file(path));
  const rpc::Json j = rpc::Json::parse(text, nullptr, false);
  if (j.is_discarded() || !j.is_object() || !j.contains("name") || !j["name"].is_string())
    return invalid("{}: not a transcript: no JSON object with a name", path);
  RpcVerdict v{.name = j["name"], .is_judged = true, .differences = {}};
  try {
    TARRY_ASSIGN(v.differences, replay_of(v.name)(j));
  } catch (const rpc::Json::exception& e) {  // a field that is not there, or of another type
    return invalid("{}: not a transcript: {}", path, e.what());
  }
  return v;
}

}  // namespace tarry
