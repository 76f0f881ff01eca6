#include "scenarios/mpi/ranks.hpp"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>

#include "placer/core/hash.hpp"

namespace tarry {
namespace {

constexpr useconds_t kMillisecond = 1000;
constexpr int kPatienceMs = 1000;

MPI_Comm world() { return MPI_COMM_WORLD; }

}  // namespace

// ---- the job ----

MpiJob::MpiJob() {
  (void)setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0);
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(world(), MPI_ERRORS_RETURN);  // a dead rank is no end of the others
}

MpiJob::~MpiJob() {
  if (is_whole_) MPI_Finalize();
}

int MpiJob::rank() {
  int rank = 0;
  MPI_Comm_rank(world(), &rank);
  return rank;
}

int MpiJob::ranks() {
  int count = 0;
  MPI_Comm_size(world(), &count);
  return count;
}

bool MpiJob::all_say(const std::string& text) {
  const std::uint64_t mine = hash64(text, 0);
  std::uint64_t least = 0, most = 0;
  MPI_Allreduce(&mine, &least, 1, MPI_UINT64_T, MPI_MIN, world());
  MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, world());
  return least == most;
}

// ---- letters ----

// A letter's kind is its tag; its bytes are the number, a blank and the text.
struct Post::UnderWay {
  std::string bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

void Post::send(const Letter& letter) {
  forget_what_arrived();
  UnderWay& u = under_way_.emplace_back(UnderWay{fmt::format("{} {}", letter.number, letter.text)});
  MPI_Isend(u.bytes.data(), static_cast<int>(u.bytes.size()), MPI_BYTE, letter.with, static_cast<int>(letter.mail),
            world(), &u.request);
}

void Post::forget_what_arrived() {
  std::erase_if(under_way_, [](UnderWay& u) {
    int arrived = 0;
    MPI_Test(&u.request, &arrived, MPI_STATUS_IGNORE);
    return arrived != 0;
  });
}

bool Post::has_mail() {
  int is_there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world(), &is_there, MPI_STATUS_IGNORE);
  return is_there != 0;
}

std::optional<Letter> Post::receive() {
  forget_what_arrived();
  if (!has_mail()) {
    usleep(kMillisecond);  // MPI's own waiting takes a whole core
    return std::nullopt;
  }
  MPI_Status about;
  int size = 0;
  if (MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world(), &about) != MPI_SUCCESS) return std::nullopt;
  MPI_Get_count(&about, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const int failed =
      MPI_Recv(bytes.data(), size, MPI_BYTE, about.MPI_SOURCE, about.MPI_TAG, world(), MPI_STATUS_IGNORE);
  if (failed != MPI_SUCCESS) return std::nullopt;
  const std::size_t blank = bytes.find(' ');
  return Letter{about.MPI_SOURCE, static_cast<Mail>(about.MPI_TAG), std::stoi(bytes.substr(0, blank)),
                bytes.substr(blank + 1)};
}

Post::~Post() {
  for (int wait = 0; wait < kPatienceMs && !under_way_.empty(); ++wait) {
    forget_what_arrived();
    usleep(kMillisecond);
  }
  for (UnderWay& u : under_way_) {
    MPI_Cancel(&u.request);
    MPI_Request_free(&u.request);
  }
}

}  // namespace tarry
