#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/one_tensor.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

struct PartCure {
  std::string_view part;  // Proof::b
  const char* advice;
};
constexpr PartCure kCures[] = {{"copies", "a transport that copies less"},
                               {"each", "fewer messages a step (fewer and larger variables)"},
                               {"threads", "more threads that serialise and copy messages"},
                               {"windows", "larger windows of connections"},
                               {"incast", "cards that take in more of many senders"}};

const char* cure_of_part(const Proof& p) {
  const auto* it = std::ranges::find(kCures, p.b, &PartCure::part);
  return it == std::end(kCures) ? "a faster transport" : it->advice;
}

// Fewer bytes pass, or others take them in.
bool may_be_spread(const Proof& p) { return p.b != "threads" && p.b != "windows" && p.b != "each"; }

std::string of_one_tensor(const Evidence& e, const Proof& p) {
  const auto one = p.together || !may_be_spread(p) ? std::nullopt : one_tensor(e);
  return one ? in_words(*one, e) : "";
}

std::string to_do(const Evidence& e, const Proof& p) {
  std::vector<std::string> all;
  if (p.together)
    for (const Proof& part : e.proofs)
      if (part.cause == p.cause && !part.together) all.emplace_back(cure_of_part(part));
  if (!p.together && may_be_spread(p) && e.tasks.have_servers())
    all.emplace_back(one_tensor(e) ? how_to_split(e) : "spread the variables over more parameter servers");
  if (!p.together && may_be_spread(p) && p.b != "incast") all.emplace_back("fewer bytes a step");
  return join(all, ", ") + (all.empty() ? "" : ", or ") + cure_of_part(p);
}

}  // namespace

Told judge_transport_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::transport))
    out.push_back(fmt::format("It costs time what messages need besides the wire: {}.{}{} To do: {}.", p.what,
                              of_one_tensor(e, p), in_words(p), to_do(e, p)));
  return out;
}

}  // namespace tarry
