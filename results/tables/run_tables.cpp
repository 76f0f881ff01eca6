#include "results/tables/run_tables.hpp"

namespace tarry {
namespace {

Number since(Nanos began, Number ended) { return ended ? Number(*ended - began) : Number(); }

std::vector<ColumnOf<TaskRow>> task_fields() {
  return {column_of<&TaskRow::task>("task"), column_of<&TaskRow::full_name>("full_name"),
          column_of<&TaskRow::host>("host")};
}

std::vector<ColumnOf<StepRow>> step_fields() {
  return {column_of<&StepRow::step>("step"),
          column_of<&StepRow::id>("step_id"),
          column_of<&StepRow::task>("task"),
          column_of<&StepRow::purpose>("purpose"),
          column_of<&StepRow::number>("number"),
          column_of<&StepRow::began>("began_ns"),
          column_of<&StepRow::ended>("ended_ns"),
          {{"duration_ns"}, [](const StepRow& r) { return cell(since(r.began, r.ended)); }},
          column_of<&StepRow::code>("code")};
}

std::vector<ColumnOf<KernelRow>> kernel_fields() {
  return {column_of<&KernelRow::task>("task"),
          column_of<&KernelRow::device>("device"),
          column_of<&KernelRow::node>("node"),
          column_of<&KernelRow::op>("op"),
          column_of<&KernelRow::step>("step"),
          column_of<&KernelRow::began>("began_ns"),
          column_of<&KernelRow::ended>("ended_ns"),
          {{"duration_ns"}, [](const KernelRow& r) { return cell(since(r.began, r.ended)); }}};
}

std::vector<ColumnOf<MessageRow>> message_fields() {
  return {column_of<&MessageRow::from>("from_task"),
          column_of<&MessageRow::to>("to_task"),
          column_of<&MessageRow::kind>("kind"),
          column_of<&MessageRow::tensor>("tensor"),
          column_of<&MessageRow::step>("step"),
          column_of<&MessageRow::bytes>("bytes"),
          column_of<&MessageRow::sent>("sent_ns"),
          column_of<&MessageRow::delivered>("delivered_ns"),
          {{"duration_ns"}, [](const MessageRow& r) { return cell(since(r.sent, r.delivered)); }}};
}

std::vector<ColumnOf<GradientRow>> gradient_fields() {
  return {column_of<&GradientRow::at>("at_ns"),
          column_of<&GradientRow::worker>("worker"),
          column_of<&GradientRow::task>("task"),
          column_of<&GradientRow::accumulator>("accumulator"),
          column_of<&GradientRow::step>("step"),
          column_of<&GradientRow::local_step>("local_step"),
          column_of<&GradientRow::accumulator_step>("accumulator_step"),
          column_of<&GradientRow::accepted>("accepted"),
          column_of<&GradientRow::aggregate>("aggregate")};
}

std::vector<ColumnOf<AggregateRow>> aggregate_fields() {
  return {column_of<&AggregateRow::task>("task"),
          column_of<&AggregateRow::accumulator>("accumulator"),
          column_of<&AggregateRow::aggregate>("aggregate"),
          column_of<&AggregateRow::at>("at_ns"),
          column_of<&AggregateRow::required>("required"),
          column_of<&AggregateRow::gradients>("gradients"),
          column_of<&AggregateRow::accumulator_step>("accumulator_step")};
}

std::vector<ColumnOf<QueueRow>> queue_fields() {
  return {column_of<&QueueRow::at>("at_ns"),      column_of<&QueueRow::task>("task"),
          column_of<&QueueRow::queue>("queue"),   column_of<&QueueRow::step>("step"),
          column_of<&QueueRow::change>("change"), column_of<&QueueRow::value>("value")};
}

std::vector<ColumnOf<LevelRow>> level_fields() {
  return {column_of<&LevelRow::at>("at_ns"), column_of<&LevelRow::task>("task"), column_of<&LevelRow::kind>("kind"),
          column_of<&LevelRow::name>("name"), column_of<&LevelRow::value>("value")};
}

std::vector<ColumnOf<AssignedRow>> assigned_fields() {
  return {column_of<&AssignedRow::at>("at_ns"), column_of<&AssignedRow::task>("task"),
          column_of<&AssignedRow::variable>("variable"), column_of<&AssignedRow::step>("step"),
          column_of<&AssignedRow::value>("value")};
}

std::vector<ColumnOf<SessionRow>> session_fields() {
  return {column_of<&SessionRow::at>("at_ns"), column_of<&SessionRow::task>("task"),
          column_of<&SessionRow::stage>("stage"), column_of<&SessionRow::detail>("detail")};
}

std::vector<ColumnOf<LineRow>> line_fields() {
  return {column_of<&LineRow::at>("at_ns"), column_of<&LineRow::task>("task"), column_of<&LineRow::level>("level"),
          column_of<&LineRow::text>("text")};
}

std::vector<ColumnOf<FaultRow>> fault_fields() {
  return {column_of<&FaultRow::at>("at_ns"), column_of<&FaultRow::kind>("kind"), column_of<&FaultRow::what>("what"),
          column_of<&FaultRow::a>("a"),      column_of<&FaultRow::b>("b"),       column_of<&FaultRow::holds>("holds")};
}

std::vector<ColumnOf<VerdictRow>> verdict_fields() {
  return {column_of<&VerdictRow::number>("number"), column_of<&VerdictRow::kind>("kind"),
          column_of<&VerdictRow::text>("text")};
}

}  // namespace

std::vector<Table> run_tables(const RunRows& rows) {
  return {make_table("tasks", rows.tasks, task_fields()),
          make_table("steps", rows.steps, step_fields()),
          make_table("kernels", rows.kernels, kernel_fields()),
          make_table("messages", rows.messages, message_fields()),
          make_table("gradients", rows.gradients, gradient_fields()),
          make_table("aggregates", rows.aggregates, aggregate_fields()),
          make_table("queue_moves", rows.queue_moves, queue_fields()),
          make_table("levels", rows.levels, level_fields()),
          make_table("assigned", rows.assigned, assigned_fields()),
          make_table("sessions", rows.sessions, session_fields()),
          make_table("log_lines", rows.log_lines, line_fields()),
          make_table("faults", rows.faults, fault_fields()),
          make_table("verdicts", rows.verdicts, verdict_fields())};
}

std::vector<std::string> run_table_names() {
  const RunRows none;
  std::vector<std::string> names;
  for (const Table& t : run_tables(none)) names.emplace_back(t.name);
  return names;
}

}  // namespace tarry
