// Initial tokens that are more than the workers.

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/job/what_if_parts.hpp"

namespace tarry {

void add_token_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  const Contributions c = read_contributions(outcome.log);
  const auto needed = [](const AccumulatorStory& a) { return a.required; };
  const std::int64_t required = c.accumulators.empty() ? 0 : std::ranges::max(c.accumulators, {}, needed).required;
  const std::int64_t tokens = std::ssize(c.initial_tokens), workers = std::ssize(c.workers);
  if (tokens <= workers || required > workers || required == 0) return;
  WhatIf& w = out.emplace_back(WhatIf{{.cause = Proof::Cause::tokens,
                                       .what = fmt::format("there are {} initial tokens", tokens),
                                       .instead = "without initial tokens"},
                                      job});
  for (ClientJob& client : w.job.clients)
    if (client.program.sync) client.options.num_tokens = 0;
}

}  // namespace tarry
