// For tests: the time line of a small pipeline of two stages and two micro-batches, in steps of equal replicas.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace tarry {

struct MadeOp {
  std::string name;
  int stage = 0, number = 0, replica = 0, step = 0;
};

struct MadePipeline {
  int replicas = 2, steps = 1;
  std::function<int(const MadeOp&)> takes = usual;  // microseconds
  std::function<std::string(const MadeOp&, std::string)> edit = [](const MadeOp&, std::string event) { return event; };

  static int usual(const MadeOp& op) {
    if (op.name == "forward-compute") return 10;
    if (op.name == "backward-compute") return 20;
    if (op.name == "params-all-gather") return 5;
    if (op.name == "grads-reduce-scatter") return 4;
    if (op.name == "embedding-grads-all-reduce") return 2;
    if (op.name == "optimizer") return 3;
    return op.name == "gc" ? 0 : 1;
  }

  // In the order in which a replica begins them, of each stage: the name of the op and its number.
  static std::vector<std::vector<MadeOp>> ops_of_stages() {
    constexpr const char* kLines[] = {
        "params-all-gather 0 forward-compute 0 forward-send 0 forward-compute 1 forward-send 1 backward-recv 0 "
        "backward-compute 0 backward-recv 1 backward-compute 1",
        "params-all-gather 0 forward-recv 0 forward-compute 0 backward-compute 0 backward-send 0 forward-recv 1 "
        "forward-compute 1 backward-compute 1 backward-send 1"};
    constexpr const char* kAfter =
        " gc 0 layernorm-grads-all-reduce 0 embedding-grads-all-reduce 0 grads-reduce-scatter 0 "
        "optimizer-clip-main-grad 0 optimizer 0";
    std::vector<std::vector<MadeOp>> all(2);
    for (int stage = 0; stage < 2; ++stage) {
      std::istringstream words(kLines[stage] + std::string(kAfter));
      for (MadeOp op{"", stage}; words >> op.name >> op.number;) all[static_cast<std::size_t>(stage)].push_back(op);
    }
    return all;
  }

  static std::string thread(int stage, int replica) {
    return fmt::format(
        R"({{"ph": "M", "name": "thread_name", "pid": {}, "tid": {}, "args": {{"name": "PP rank {}, x"}}}})", replica,
        7 + stage, stage);
  }
  [[nodiscard]] std::string event(const MadeOp& op, std::size_t place) const {
    return edit(op, fmt::format(R"({{"ph": "X", "name": "{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": )"
                                R"({{"step": {}, "model_chunk": 0, "seq_id": {}}}}})",
                                op.name, op.replica, 7 + op.stage, 1000 * place, takes(op), op.step, op.number));
  }
  [[nodiscard]] std::string text() const {
    std::string out = "[" + thread(0, 0);
    for (int replica = 0; replica < replicas; ++replica)
      for (int stage = 0; stage < 2; ++stage) out += ",\n" + thread(stage, replica);
    for (const auto& stage : ops_of_stages())
      for (std::size_t i = 0; i < stage.size(); ++i)
        for (int at = 0; at < steps * replicas; ++at) {
          MadeOp op = stage[i];
          op.step = 5 + at / replicas, op.replica = at % replicas;
          if (const std::string made = event(op, i); !made.empty()) out += ",\n" + made;
        }
    return out + "]";
  }
};

}  // namespace tarry
