// Compares transcripts of real TensorFlow's master and worker with ours, call by call (the recordings' README is the
// contract).
#pragma once

#include <string>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

struct RpcVerdict {
  std::string name;
  bool is_judged = true;                 // false = a kind that tarry does not replay yet
  std::vector<std::string> differences;  // empty = agrees
};

// The file's name gives the kind: worker_, master_, client_. Fails: with the errors of read_file; INVALID_ARGUMENT for
// a file that is no transcript.
[[nodiscard]] StatusOr<RpcVerdict> conform_rpc(const std::string& path);

}  // namespace tarry
