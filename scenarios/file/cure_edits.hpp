// Changes of a scenario that verdicts ask for, one function each: what makes cures.cpp's jobs.
//
// Each fails with INVALID_ARGUMENT where the scenario cannot be changed so, and says why.
#pragma once

#include <vector>

#include "results/contributions.hpp"
#include "results/trouble.hpp"
#include "scenarios/file/cures.hpp"
#include "scenarios/file/designs.hpp"
#include "scenarios/job/difference.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {

// The patient, with what is known of its run, and the jobs that `tarry why` runs beside it.
struct Ward {
  const Patient& patient;
  Contributions contributions;
  std::vector<WhatIf> what_ifs, designs;
  std::vector<Trouble> troubles = {};  // of its run
};

// These change `s`, and say in `cured` which keys; where the table's words do not tell enough, the advice too.
// Four times as often; where nothing is saved, every tenth step, or so often that a run this short has checkpoints.
Status save_more_often(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status save_less_often(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
// One gradient fewer than the workers bring; before the first aggregate, as many as they bring.
Status aggregate_fewer(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
// One of each worker that trains.
Status aggregate_all(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
// Nobody leaves by a limit or a fault of its own.
Status train_on(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status endless_files(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status stop_at_global_step(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
// Every file that no entry of `feeds.files` fits has as many records as the longest.
Status find_files(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status start_without_tokens(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
// As many as the error of the verdict asks for.
Status enough_tokens(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status put_servers_apart(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status put_servers_beside(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status start_missing(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status plan_for_those(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
// A session on the parameter servers and its own task alone.
Status filter_devices(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status start_sync_thread(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status fetch_nothing_more(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status run_longer(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status more_memory(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);
Status take_out(const Ward& ward, const Verdict& verdict, Scenario& s, CuredJob& cured);

// Processes that the verdict names, or all that were lost where it names none: each begins anew a second after the
// fault that ended it.
Status restart_soon(const Ward& ward, const Verdict& verdict, CuredJob& cured);

}  // namespace tarry
