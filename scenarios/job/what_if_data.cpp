// Workers whose data is at its end before that of others.

#include <fmt/format.h>

#include "results/out_of_data.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {

void add_data_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  if (job.inputs.says_nothing()) return;
  Job all = job;
  std::vector<std::string> names;
  for (const OutOfData& o : out_of_data(outcome.log)) {
    const std::string who = outcome.tasks.show(o.task);
    WhatIf& w =
        out.emplace_back(WhatIf{{.cause = Proof::Cause::data,
                                 .task = o.task,
                                 .what = fmt::format("the data of {} was at its end before that of others", who),
                                 .instead = fmt::format("with data for {} that never ends", who)},
                                job});
    w.job.inputs = job.inputs.endless_for(o.task);
    all.inputs = all.inputs.endless_for(o.task);
    names.push_back(who);
  }
  if (names.size() < 2) return;
  const std::string who = listed(std::move(names));
  out.push_back({{.cause = Proof::Cause::data,
                  .what = fmt::format("the data of {} was at its end before that of others", who),
                  .instead = fmt::format("with data for {} that never ends", who),
                  .together = true},
                 std::move(all)});
}

}  // namespace tarry
