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

// The transcript's name gives the kind: worker_, master_, client_. It is replayed in a child process (apart.hpp).
// Fails: with the errors of read_file and of judge_apart; INVALID_ARGUMENT for a file that is no transcript.
[[nodiscard]] StatusOr<RpcVerdict> conform_rpc(const std::string& path);
// The same for the text of a file, in this process: it takes as long as the transcript's graphs take.
[[nodiscard]] StatusOr<RpcVerdict> conform_transcript(const std::string& text, const std::string& path);

}  // namespace tarry
