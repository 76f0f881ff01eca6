#include "properties/conform/rpc.hpp"

#include "placer/graph/read.hpp"
#include "properties/conform/apart.hpp"
#include "properties/conform/checked.hpp"
#include "properties/conform/rpc/replay.hpp"

namespace tarry {
namespace {

auto replay_of(const std::string& name) {
  if (name.starts_with("worker_")) return rpc::replay_worker;
  return name.starts_with("client_") ? rpc::replay_client : rpc::replay_master;
}

StatusOr<RpcVerdict> judge(const std::string& text) {
  TARRY_ASSIGN(const rpc::Json j, parse_recording<rpc::Json>(text, kLongestText));
  if (!j.is_object() || !j.contains("name") || !j.at("name").is_string()) return invalid("no JSON object with a name");
  RpcVerdict v{.name = j.at("name"), .is_judged = true, .differences = {}};
  TARRY_ASSIGN(v.differences, replay_of(v.name)(j));
  return v;
}

}  // namespace

StatusOr<RpcVerdict> conform_transcript(const std::string& text, const std::string& path) {
  return refused(path, [&]() -> StatusOr<RpcVerdict> {
    auto v = judge(text);
    if (!v.ok()) return with_prefix(v.status(), fmt::format("{}: not a transcript: ", path));
    return v;
  });
}

StatusOr<RpcVerdict> conform_rpc(const std::string& path) {
  TARRY_ASSIGN(const std::string text, read_file(path));
  auto judged = judge_apart([&]() -> StatusOr<rpc::Json> {
    TARRY_ASSIGN(const RpcVerdict v, conform_transcript(text, path));
    return rpc::Json{{"name", v.name}, {"is_judged", v.is_judged}, {"differences", v.differences}};
  });
  if (!judged.ok()) return judged.status();
  return RpcVerdict{judged->at("name"), judged->at("is_judged"), judged->at("differences")};
}

}  // namespace tarry
