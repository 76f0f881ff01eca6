// Checkpoints of the chief: restored at creation, saved by CheckpointSaverHook (docs/rules/runtime.md#E.6).

#include "workers/train/training_client.hpp"

namespace tarry {
namespace {

const SharedNames kNothing;
const std::vector<FedTensor> kUnfed;

FedTensor fed_name(const std::string& tensor, const std::string& text) { return {tensor, make_string(text)}; }

}  // namespace

Task<Status> TrainingClient::restore(std::string prefix) {
  log('I', fmt::format("Restoring parameters from {}", prefix));
  audit(AuditFact::What::model_restored, prefix);
  mark(directory_.auditor, Mark::model_restored);
  std::vector<FedTensor> feeds{fed_name(program_.saver.filename, prefix)};
  const SharedNames targets{program_.saver.restore};
  Fetched restored = co_await run(feeds, kNothing, targets, Purpose::restore);
  co_return restored.status();
}

Task<Status> TrainingClient::save(std::int64_t step) {
  log('I', fmt::format("Saving checkpoints for {} into {}.", step, kCheckpoints));
  const std::string prefix = fmt::format("{}-{}", kCheckpoints, step);
  std::vector<FedTensor> feeds{fed_name(program_.saver.filename, prefix)};
  const SharedNames fetches{program_.saver.save};
  const bool is_early = directory_.planted == PlantedClusterBug::checkpoint_listed_early;
  if (is_early) {
    directory_.files.list(kCheckpoints, prefix, options_.keep_checkpoints);
    audit(AuditFact::What::checkpoint_listed, prefix);
  }
  Fetched saved = co_await run(feeds, fetches, kNothing, Purpose::save);
  if (saved.ok() && !is_early) list_checkpoint(prefix);
  co_return saved.status();
}

void TrainingClient::list_checkpoint(const std::string& prefix) {
  const bool is_there = directory_.files.completed(kCheckpoints, prefix, options_.keep_checkpoints);
  mark_if(!is_there, directory_.auditor, Mark::checkpoint_lost_in_save);
  if (is_there) audit(AuditFact::What::checkpoint_listed, prefix);
}

void TrainingClient::audit(AuditFact::What what, std::string_view file) const {
  if (Auditor* a = directory_.auditor)
    a->note({.what = what, .task = task_, .process = process_, .text = a->text(file)});
}

// The hook saves as soon as there is a session.
Task<Status> TrainingClient::save_first() {
  if (!saves()) co_return Status();
  StatusOr<std::int64_t> step = co_await read_global_step();
  if (!step.ok()) co_return step.status();
  Status s = co_await save(*step);
  save_timer_ = StepTimer(options_.save_steps, options_.save_every);
  save_timer_.acted(*step, env_.now());
  co_return s;
}

// A step has ended that read `stale_step` before it moved on.
Task<Status> TrainingClient::save_when_due(std::int64_t stale_step) {
  if (!save_timer_.is_due(stale_step + 1, env_.now())) co_return Status();
  StatusOr<std::int64_t> step = co_await read_global_step();
  if (!step.ok()) co_return step.status();
  if (!save_timer_.is_due(*step, env_.now())) co_return Status();
  save_timer_.acted(*step, env_.now());
  co_return co_await save(*step);
}

Task<Status> TrainingClient::save_last() {
  StatusOr<std::int64_t> step = co_await read_global_step();
  if (!step.ok()) co_return step.status();
  if (save_timer_.last_step() == *step) co_return Status();
  co_return co_await save(*step);
}

Task<StatusOr<std::int64_t>> TrainingClient::read_global_step() {
  const std::string tensor = global_step_tensor(program_);
  const SharedNames fetches = tensor.empty() ? kNothing : SharedNames({tensor});
  Fetched fetched = co_await run(kUnfed, fetches, kNothing, Purpose::other);
  if (!fetched.ok()) co_return fetched.status();
  co_return integer_or((*fetched)[0], 0);
}

}  // namespace tarry
