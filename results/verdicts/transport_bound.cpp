#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

// What there may be of it; of one part, what it is.
std::string in_question(const Proof& p) {
  if (p.b.empty() || p.together)
    return "threads that serialise and copy them, windows of connections, cards that take in less of many senders";
  return p.what;
}

std::string to_do(const Evidence& e, const Proof& p) {
  const char* servers = e.tasks.have_servers() ? "spread the variables over more parameter servers, " : "";
  if (p.b == "threads") return "more threads that serialise and copy messages";
  if (p.b == "windows") return "larger windows of connections";
  if (p.b == "incast") return fmt::format("{}or cards that take in more of many senders", servers);
  return fmt::format("{}fewer bytes a step, or {}", servers,
                     p.b == "copies" ? "a transport that copies less" : "a faster transport");
}

}  // namespace

Told judge_transport_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::transport))
    out.push_back(fmt::format("It costs time what messages need besides the wire: {}.{} To do: {}.", in_question(p),
                              in_words(p), to_do(e, p)));
  return out;
}

}  // namespace tarry
