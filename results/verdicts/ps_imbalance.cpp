#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "placer/core/text.hpp"
#include "results/loads.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::vector<TaskId> parameter_servers(const TaskNames& tasks) {
  std::vector<TaskId> all;
  for (std::size_t t = 0; t < tasks.names.size(); ++t)
    if (tasks.names[t].starts_with("/job:ps/")) all.push_back(TaskId{t});
  return all;
}

class Servers {
 public:
  explicit Servers(const Evidence& e) : e_(e), loads_(read_loads(e.log)), ps_(parameter_servers(e.tasks)) {
    for (const TaskId t : ps_) all_ += load(t).bytes;
    if (!ps_.empty()) busiest_ = *std::ranges::max_element(ps_, {}, [this](TaskId t) { return load(t).bytes; });
  }

  [[nodiscard]] std::string in_words(const Proof& proof) const {
    std::vector<std::string> rows;
    for (const TaskId t : ps_)
      rows.push_back(fmt::format("{} {:.1f} MB in {} messages, {} %", e_.tasks.show(t), megabytes(load(t).bytes),
                                 load(t).messages, percent(sending(t))));
    return fmt::format(
        "{} sends {} % of all bytes that the parameter servers send, and the workers wait for it. What each of them "
        "sent, and for how much of the time: {}.{}{}{}",
        e_.tasks.show(busiest_), percent(static_cast<double>(load(busiest_).bytes) / static_cast<double>(all_)),
        join(rows, "; "), tarry::in_words(proof),
        spread() && spread()->instead != proof.instead ? tarry::in_words(*spread()) : "", to_do());
  }

  // It sends for so little of the time that the gain is not of bytes: slow kernels, and queues before threads, move
  // with their variables. But a server that sends nothing is told where these do not gain as much.
  [[nodiscard]] bool is_not_of_bytes(const Proof& proof) const {
    return 4 * sending(busiest_) < proof.gain && (!has_one_that_sends_nothing() || kernels_gain(proof.gain));
  }

 private:
  [[nodiscard]] bool kernels_gain(double gain) const {
    using enum Proof::Cause;
    return std::ranges::any_of(e_.proofs, [&](const Proof& p) {
      return (p.cause == server_kernels || p.cause == threads) && p.gain >= gain - kNoticed;
    });
  }
  [[nodiscard]] const ServerLoad& load(TaskId task) const {
    static const ServerLoad nothing;
    const auto it = loads_.tasks.find(task);
    return it == loads_.tasks.end() ? nothing : it->second;
  }
  [[nodiscard]] double sending(TaskId t) const { return share(load(t).transferring, e_.trained_for()); }

  // What a worker's step gets from each server, tensor by tensor: those that were sent at least once for every two
  // steps.
  [[nodiscard]] std::vector<std::uint64_t> tensors_of_a_step(TaskId server) const {
    std::int64_t steps = 0;
    for (const WorkerStory& w : e_.contributions.workers) steps += w.steps;
    std::vector<std::uint64_t> sizes;
    for (const auto& [bytes, times] : load(server).tensors)
      sizes.insert(sizes.end(),
                   steps == 0 ? 0 : (times + static_cast<std::uint64_t>(steps) / 2) / static_cast<std::uint64_t>(steps),
                   bytes);
    return sizes;
  }

  // What a run with the variables spread by bytes gained.
  [[nodiscard]] const Proof* spread() const {
    const auto it = std::ranges::find_if(
        e_.proofs, [](const Proof& p) { return p.cause == Proof::Cause::imbalance && has_word(p.instead, "spread"); });
    return it == e_.proofs.end() ? nullptr : &*it;
  }

  [[nodiscard]] bool has_one_that_sends_nothing() const {
    return std::ranges::any_of(ps_, [this](TaskId t) { return 100 * load(t).bytes * ps_.size() < all_; });
  }
  [[nodiscard]] std::string how_to_spread() const {
    return has_one_that_sends_nothing()
               ? fmt::format("spread the variables by bytes (greedy) over all {} parameter servers", ps_.size())
               : "spread the variables by bytes (greedy) and not by their number";
  }
  // What it sends most are rows of variables in several parts.
  [[nodiscard]] const Proof* of_rows() const {
    const auto it = std::ranges::find_if(
        e_.proofs, [](const Proof& p) { return p.cause == Proof::Cause::imbalance && p.b == "rows"; });
    return it == e_.proofs.end() ? nullptr : &*it;
  }
  [[nodiscard]] std::string rows_in_words(const Proof& rows, const std::string& by_bytes) const {
    const bool is_told = spread() && spread()->gain >= kWorthTelling;
    return fmt::format(
        " Most of what {} sends are rows of {}, whose parts are on several servers: those that steps look up are "
        "on it. To do: {}spread these rows over the servers (another partition_strategy, or ids that are hashed).",
        e_.tasks.show(busiest_), rows.a, is_told ? by_bytes + "; or " : "");
  }

  [[nodiscard]] std::string to_do() const {
    std::string by_bytes = spread() ? how_to_spread() : "";
    if (const Proof* rows = of_rows()) return rows_in_words(*rows, by_bytes);
    std::vector<std::uint64_t> all;
    for (const TaskId t : ps_)
      for (const std::uint64_t bytes : tensors_of_a_step(t)) all.push_back(bytes);
    const std::uint64_t even = std::accumulate(all.begin(), all.end(), std::uint64_t{0}) / ps_.size(),
                        largest = all.empty() ? 0 : std::ranges::max(all);
    if (largest <= even + even / 10) return by_bytes.empty() ? "" : fmt::format(" To do: {}.", by_bytes);
    if (spread() && spread()->gain < kWorthTelling) by_bytes.clear();
    return fmt::format(
        " One tensor has {:.3f} MB. To do: {}{}split that variable over the servers, and each of them "
        "sends {:.3f} MB.",
        megabytes(largest), by_bytes, by_bytes.empty() ? "" : "; or ", megabytes(even));
  }

  const Evidence& e_;
  const Loads loads_;
  const std::vector<TaskId> ps_;
  TaskId busiest_;
  std::uint64_t all_ = 0;  // bytes
};

}  // namespace

Told judge_ps_imbalance(const Evidence& e, std::span<const Verdict>) {
  const std::vector<Proof> proofs = proved(e, Proof::Cause::imbalance);
  if (proofs.empty()) return {};
  const Servers servers(e);
  return servers.is_not_of_bytes(proofs.front()) ? Told() : Told{servers.in_words(proofs.front())};
}

}  // namespace tarry
