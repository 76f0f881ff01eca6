#include "scenarios/mpi/batch.hpp"

#include <charconv>
#include <memory>
#include <set>

#include "scenarios/mpi/ranks.hpp"
#include "scenarios/sweep/hand_out.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

constexpr int kFarewellMs = 10'000;

// ---- answers on their way: the code, a blank, and the bytes or the error's text ----

std::string sealed(const StatusOr<std::string>& answer) {
  if (answer.ok()) return fmt::format("0 {}", *answer);
  return fmt::format("{} {}", static_cast<int>(answer.status().code()), text_of(answer.status()));
}

StatusOr<std::string> opened(const std::string& text) {
  const std::size_t blank = text.find(' ');
  int code = 0;
  std::from_chars(text.data(), text.data() + blank, code);
  if (code == 0) return text.substr(blank + 1);
  return Status(static_cast<Code>(code), text.substr(blank + 1));
}

// ---- rank 0 ----

class Giver {
 public:
  void compute(int count, const Request& request, const Answered& answered) {
    HandOut work(count);
    while (!work.all_answered()) {
      give(work, request);
      if (const auto letter = post_.receive()) take(*letter, work, answered);
    }
    for (const int rank : busy_) post_.send({rank, Mail::leave});
    first_ += count;
  }

 private:
  void give(HandOut& work, const Request& request) {
    for (auto it = idle_.begin(); it != idle_.end();) {
      const auto task = work.next(*it);
      if (!task) return;
      post_.send({*it, Mail::task, first_ + *task, request(*task)});
      busy_.insert(*it);
      it = idle_.erase(it);
    }
  }

  void take(const Letter& letter, HandOut& work, const Answered& answered) {
    busy_.erase(letter.with);
    idle_.insert(letter.with);
    const int task = letter.number - first_;  // below 0: of a batch before this one
    if (letter.mail == Mail::answer && work.answered(task)) answered(task, opened(letter.text));
  }

  Post post_;
  std::set<int> idle_, busy_;  // a rank that has never said that it is ready is in neither
  int first_ = 0;              // number of this batch's first task
};

// ---- the others ----

void answer(Post& post, const Letter& asked, const std::string& graphs_folder) {
  const auto said =
      run_in_child_while([] { return !Post::has_mail(); }, [&] { return answer_to(asked.text, graphs_folder); });
  const bool is_left = said.status().code() == Code::kCancelled;
  post.send({0, is_left ? Mail::ready : Mail::answer, asked.number, is_left ? "" : sealed(said)});
}

}  // namespace

Batch over_ranks() {
  return [giver = std::make_shared<Giver>()](int count, const Request& request, const Answered& answered) {
    giver->compute(count, request, answered);
  };
}

bool serve(const std::string& graphs_folder) {
  Post post;
  post.send({0, Mail::ready});
  for (;;) {
    const auto letter = post.receive();
    if (letter && letter->mail == Mail::task) answer(post, *letter, graphs_folder);
    if (letter && letter->mail == Mail::stop) break;
  }
  post.send({0, Mail::stop});
  auto last = post.receive();
  while (!last) last = post.receive();
  return last->mail == Mail::stop;
}

bool stop_ranks() {
  Post post;
  std::set<int> awaited;
  for (int rank = 1; rank < MpiJob::ranks(); ++rank) awaited.insert(rank), post.send({rank, Mail::stop});
  for (int ms = 0; ms < kFarewellMs && !awaited.empty(); ++ms)
    if (const auto letter = post.receive(); letter && letter->mail == Mail::stop) awaited.erase(letter->with);
  for (int rank = 1; rank < MpiJob::ranks(); ++rank) post.send({rank, awaited.empty() ? Mail::stop : Mail::leave});
  return awaited.empty();
}

}  // namespace tarry
