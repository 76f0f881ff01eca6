#include "results/tables/views.hpp"

namespace tarry {
namespace {

constexpr View kViews[] = {
    {"training_steps", "which training steps were there?",
     R"(SELECT step, task, number, began_ns, ended_ns, duration_ns, code FROM steps WHERE purpose = 'train step')"},

    {"slowest_steps", "which training steps of each task took longest?",
     R"(SELECT task, row_number() OVER (PARTITION BY task ORDER BY duration_ns DESC, number) AS rank,
  number, step, began_ns, duration_ns
FROM training_steps WHERE ended_ns IS NOT NULL ORDER BY task, rank)"},

    {"busiest_devices", "which devices computed most?",
     R"(SELECT device, count(*) AS kernels, sum(duration_ns) AS kernel_ns, max(duration_ns) AS longest_ns,
  min(began_ns) AS first_ns, max(ended_ns) AS last_ns
FROM kernels WHERE ended_ns IS NOT NULL GROUP BY device ORDER BY kernel_ns DESC, device)"},

    {"kernels_by_op", "which ops took the time?",
     R"(SELECT op, count(*) AS kernels, sum(duration_ns) AS kernel_ns, sum(duration_ns) / count(*) AS mean_ns,
  max(duration_ns) AS longest_ns
FROM kernels WHERE ended_ns IS NOT NULL GROUP BY op ORDER BY kernel_ns DESC, op)"},

    {"traffic", "who sent how much to whom?",
     R"(SELECT from_task, to_task, count(*) AS messages, sum(bytes) AS bytes, min(duration_ns) AS fastest_ns,
  sum(duration_ns) / count(duration_ns) AS mean_ns, max(duration_ns) AS slowest_ns
FROM messages GROUP BY from_task, to_task ORDER BY bytes DESC, from_task, to_task)"},

    {"late_messages", "which messages took longer than the fastest of the same two tasks?",
     R"(SELECT m.duration_ns - t.fastest_ns AS late_ns, m.from_task, m.to_task, kind, tensor, step, m.bytes, sent_ns,
  delivered_ns
FROM messages AS m JOIN traffic AS t ON t.from_task = m.from_task AND t.to_task = m.to_task
WHERE m.duration_ns > t.fastest_ns ORDER BY late_ns DESC, delivered_ns, m.from_task, m.to_task)"},

    {"aggregate_workers", "whose gradients filled each aggregate?",
     R"(SELECT a.accumulator, a.aggregate, a.at_ns, g.worker, count(*) AS gradients, a.required,
  max(g.at_ns) AS last_gradient_ns
FROM aggregates AS a JOIN gradients AS g ON g.accumulator = a.accumulator AND g.aggregate = a.aggregate
GROUP BY a.accumulator, a.aggregate, g.worker ORDER BY a.accumulator, a.aggregate, g.worker)"},

    {"dropped_gradients", "whose gradients were dropped?",
     R"(SELECT worker, accumulator, count(*) AS pushed, sum(accepted) AS accepted, sum(1 - accepted) AS dropped
FROM gradients GROUP BY worker, accumulator ORDER BY worker, accumulator)"},

    {"gradient_staleness", "how many steps behind its accumulator was each worker's gradient?",
     R"(SELECT worker, accumulator_step - local_step AS steps_behind, count(*) AS gradients, sum(accepted) AS accepted
FROM gradients GROUP BY worker, steps_behind ORDER BY worker, steps_behind)"},

    {"step_staleness", "how many training steps of others ended while each was under way?",
     R"(SELECT s.task, s.number, s.step, s.began_ns, s.ended_ns,
  (SELECT count(*) FROM steps AS o WHERE o.ended_ns > s.began_ns AND o.ended_ns <= s.ended_ns
    AND o.purpose = 'train step' AND o.code = 0 AND o.task <> s.task) AS updates_by_others
FROM training_steps AS s WHERE s.ended_ns IS NOT NULL ORDER BY s.task, s.number)"},

    {"steps_around_faults", "which training steps were under way at a fault, and which came before and after?",
     R"(SELECT f.at_ns, f.what, f.a, f.b, s.task, s.number, s.step, s.began_ns, s.ended_ns, s.duration_ns, s.code,
  CASE WHEN s.ended_ns < f.at_ns THEN 'before' WHEN s.began_ns > f.at_ns THEN 'after' ELSE 'under way' END AS relation
FROM faults AS f JOIN training_steps AS s ON s.began_ns <= f.at_ns AND (s.ended_ns IS NULL OR s.ended_ns >= f.at_ns)
  OR s.step = (SELECT step FROM training_steps AS b WHERE b.task = s.task AND b.ended_ns < f.at_ns
               ORDER BY b.ended_ns DESC, b.step DESC LIMIT 1)
  OR s.step = (SELECT step FROM training_steps AS n WHERE n.task = s.task AND n.began_ns > f.at_ns
               ORDER BY n.began_ns, n.step LIMIT 1)
ORDER BY f.at_ns, f.what, s.task, s.number)"},

    {"unfinished", "what did the end of the run, or of a process, cut off?",
     R"(SELECT 'step' AS what, task, purpose AS name, began_ns AS since_ns, step FROM steps WHERE ended_ns IS NULL
UNION ALL SELECT 'kernel', task, node, began_ns, step FROM kernels WHERE ended_ns IS NULL
UNION ALL SELECT 'message', to_task, kind, sent_ns, step FROM messages WHERE delivered_ns IS NULL
ORDER BY since_ns)"},

    {"time_line", "what happened, in order, and what are the verdicts on it?",
     R"(SELECT at_ns, 'fault' AS what, a AS task, what AS told FROM faults
UNION ALL SELECT at_ns, 'log line', task, text FROM log_lines
UNION ALL SELECT at_ns, 'session ' || stage, task, detail FROM sessions
UNION ALL SELECT at_ns, 'gradient dropped', worker, accumulator FROM gradients WHERE accepted = 0
UNION ALL SELECT at_ns, 'aggregate', task, accumulator || ' ' || aggregate FROM aggregates
UNION ALL SELECT value, 'verdict', kind, text FROM run JOIN verdicts WHERE run.key = 'ended_ns'
ORDER BY at_ns)"},
};

constexpr std::string_view kIndexes = R"(
CREATE INDEX steps_of_tasks ON steps(task, number);
CREATE INDEX steps_that_ended ON steps(ended_ns);
CREATE INDEX kernels_of_devices ON kernels(device, began_ns);
CREATE INDEX kernels_of_ops ON kernels(op);
CREATE INDEX kernels_of_steps ON kernels(step);
CREATE INDEX messages_of_links ON messages(from_task, to_task, sent_ns);
CREATE INDEX messages_of_steps ON messages(step);
CREATE INDEX gradients_of_aggregates ON gradients(accumulator, aggregate);
CREATE INDEX gradients_of_workers ON gradients(worker, at_ns);
CREATE INDEX levels_of_places ON levels(task, kind, name, at_ns);
)";

}  // namespace

std::span<const View> run_views() { return kViews; }
std::string_view run_indexes() { return kIndexes; }

}  // namespace tarry
