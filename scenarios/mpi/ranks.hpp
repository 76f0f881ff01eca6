// The ranks of an MPI job, as much of them as a sweep needs: rank 0 and each other rank send each other messages.
//
// All calls of MPI are in ranks.cpp. Nothing waits for a rank that may be dead: a message is sent in the background,
// and one that nobody takes any more, or that MPI cannot bring there, is lost without a word.
#pragma once

#include <list>
#include <optional>
#include <string>

#include "placer/core/status.hpp"

namespace tarry {

// From the first moment of main to its last: one of them. It sets mpi_warn_on_fork to 0 where nobody has set it, since
// ranks fork for every run: the child has no use for MPI and never calls it, and the rank waits for it.
class MpiJob {
 public:
  MpiJob();
  ~MpiJob();
  // Ends without MPI_Finalize, which may wait for the dead for ever. For mpirun this rank is then one that failed.
  void end_without_the_dead() { is_whole_ = false; }
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;
  [[nodiscard]] static int rank();
  [[nodiscard]] static int ranks();
  // Whether every rank gives the same text: every rank calls it.
  [[nodiscard]] static bool all_say(const std::string& text);

 private:
  bool is_whole_ = true;
};

enum class Mail { ready, task, answer, leave, stop };

struct Letter {
  int with = 0;  // the rank that sent it, or is to have it
  Mail mail = Mail::ready;
  int number = 0;  // of the task
  std::string text;
};

class Post {
 public:
  Post() = default;
  ~Post();  // letters that nobody takes within a second are given up
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  void send(const Letter& letter);
  // The next letter, or nothing when none came in about a millisecond.
  [[nodiscard]] std::optional<Letter> receive();
  [[nodiscard]] static bool has_mail();

 private:
  struct UnderWay;
  void forget_what_arrived();
  std::list<UnderWay> under_way_;
};

}  // namespace tarry
