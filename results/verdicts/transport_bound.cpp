#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_transport_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::transport))
    out.push_back(fmt::format(
        "It costs time what messages need besides the wire: threads that serialise and copy them, windows "
        "of connections, cards that take in less of many senders.{} To do: {}fewer bytes a step, or a faster "
        "transport.",
        in_words(p), e.tasks.have_servers() ? "spread the variables over more parameter servers, " : ""));
  return out;
}

}  // namespace tarry
