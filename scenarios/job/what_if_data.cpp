// Workers whose data is at its end before that of others, or since all of them count their epochs together.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "results/client_error.hpp"
#include "results/out_of_data.hpp"
#include "scenarios/job/shared_epochs.hpp"
#include "scenarios/job/what_if_parts.hpp"
#include "workers/train/build/graph_editor.hpp"

namespace tarry {

namespace {

bool ran_out_of_data(const EventLog& log) {
  return std::ranges::any_of(log.events(), [&](const LoggedEvent& e) {
    const auto* moved = std::get_if<SessionMoved>(&e.event);
    return moved != nullptr && moved->stage == SessionStage::left_loop && is_end_of_data(log.name(moved->detail));
  });
}

// The count, and what reads or changes it, are where the client is.
void count_for_itself(ClientProgram& p, const std::string& counter) {
  GraphSpec graph = *p.graph;
  const auto uses_it = [&](const std::string& input) { return node_of(input) == counter; };
  for (NodeSpec& n : graph.nodes)
    if (n.name == counter || (!n.inputs.empty() && uses_it(n.inputs.front())))
      n.device = p.written_for.empty() ? p.task : p.written_for;
  p.graph = std::make_shared<const GraphSpec>(std::move(graph));
}

}  // namespace

void add_epoch_what_if(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  if (!ran_out_of_data(outcome.log)) return;
  const SharedEpochs shared = shared_epochs(job.clients);
  if (shared.counter.empty()) return;
  WhatIf& w =
      out.emplace_back(WhatIf{{.cause = Proof::Cause::epochs,
                               .what = fmt::format("{} is on {} {} and counts up to {} for all workers together",
                                                   shared.counter, shared.job, shared.task, shared.limit),
                               .instead = "with a count of epochs for each worker"},
                              job});
  for (ClientJob& c : w.job.clients) count_for_itself(c.program, shared.counter);
}

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
