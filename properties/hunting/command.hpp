// A program that answers questions: one JSON value per line on its stdin, one JSON value per line on its stdout.
//
// The program is started once, by /bin/sh, and asked any number of times. When it ends (UNAVAILABLE), answers too late
// (DEADLINE_EXCEEDED), or answers with something that is not JSON, or has not the `id` of the question
// (INVALID_ARGUMENT), or is not there (NOT_FOUND),
// `ask` fails with the program's output in the text; the next ask starts it again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "placer/core/status.hpp"

namespace tarry {

class AskedCommand {
 public:
  AskedCommand(std::string command, int timeout_ms);
  ~AskedCommand();
  AskedCommand(const AskedCommand&) = delete;
  AskedCommand& operator=(const AskedCommand&) = delete;

  [[nodiscard]] StatusOr<nlohmann::ordered_json> ask(const nlohmann::ordered_json& question);
  void stop();  // the next ask starts it again

 private:
  [[nodiscard]] Status start();
  [[nodiscard]] Status write_line(const std::string& line);
  [[nodiscard]] StatusOr<std::string> read_line();
  [[nodiscard]] Status fill_buffer();
  [[nodiscard]] Status no_program() const;
  [[nodiscard]] bool has_no_program();  // waits for the process, which has closed its output

  std::string command_, buffer_;
  int timeout_ms_;
  int process_ = -1, to_ = -1, from_ = -1;
};

}  // namespace tarry
