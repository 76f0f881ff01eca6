#include "workers/worker/messages.hpp"

#include <array>
#include <charconv>
#include <numeric>

#include "workers/env.hpp"

namespace tarry {
namespace {

constexpr std::string_view kRoot = ";0:0";  // how the text of a key outside loops ends

template <class T>
bool number(std::string_view text, T& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc{} && end == text.data() + text.size();
}

}  // namespace

const char* method_name(Method m) {
  constexpr std::array kNames = {
      "GetStatus", "CreateWorkerSession", "DeleteWorkerSession", "RegisterGraph", "DeregisterGraph",
      "RunGraph",  "CleanupGraph",        "CleanupAll",          "RecvTensor",    "Logging",
      "Tracing",   "MarkRecvFinished"};
  static_assert(kNames.size() == kMethods);
  return kNames[static_cast<std::size_t>(m)];
}

std::uint64_t wire_bytes(const GraphSpec& graph) {
  return std::accumulate(graph.nodes.begin(), graph.nodes.end(), std::uint64_t{16},
                         [](std::uint64_t sum, const NodeSpec& n) {
                           for (const std::string& input : n.inputs) sum += input.size() + 2;
                           for (const auto& [name, value] : n.attrs) sum += name.size() + 16;
                           return sum + n.name.size() + n.op.size() + n.device.size() + 12;
                         });
}

std::uint64_t response_bytes(const RunGraphResponse& r) {
  if (!r.status.ok()) return 100;
  return std::accumulate(r.received.begin(), r.received.end(), std::uint64_t{32},
                         [](std::uint64_t sum, const NamedTensor& t) { return sum + t.tensor->bytes() + 100; });
}

std::string key_text(const Env& env, const RendezvousKey& key) {
  std::string text(env.text(key.text));
  if (key.frame == 0 && key.iteration == 0) return text;
  text.resize(text.size() - kRoot.size());
  return text + fmt::format(";{}:{}", key.frame, key.iteration);
}

RendezvousKey key_from_text(Env& env, std::string_view text) {
  const std::size_t at = text.rfind(';'), colon = text.rfind(':');
  RendezvousKey key;
  const bool has_frame = at != std::string_view::npos && colon != std::string_view::npos && colon > at &&
                         number(text.substr(at + 1, colon - at - 1), key.frame) &&
                         number(text.substr(colon + 1), key.iteration);
  if (!has_frame || (key.frame == 0 && key.iteration == 0)) return RendezvousKey(env.name(text));
  return {env.name(std::string(text.substr(0, at)) + std::string(kRoot)), key.frame, key.iteration};
}

}  // namespace tarry
