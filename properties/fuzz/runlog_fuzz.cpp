// Any bytes as a run's log, sealed with the right checksum, so that they are read: refused, or judged. The first line
// is the log's head.
#include "results/stored_run.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size), head = bytes.substr(0, bytes.find('\n'));
  const std::string_view log = bytes.substr(std::min(head.size() + 1, bytes.size()));
  const auto run = tarry::stored_run(tarry::sealed(head, log));
  if (run.ok())
    (void)tarry::judge(run->log, tarry::read_contributions(run->log), run->tasks, run->proofs,
                       tarry::broken_laws(run->log, {}, run->tasks));
  return 0;
}
