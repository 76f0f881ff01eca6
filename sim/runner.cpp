#include "sim/runner.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <string_view>

namespace tarry {
namespace {

constexpr char kReturned = 'r', kThrew = 't', kNoMemory = 'm', kRefused = 'x';  // the first byte that the child writes
constexpr int kEndedWithoutMemory = 112;                                        // the child's exit code
constexpr int kLookEveryMs = 50;

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the parent is gone; nobody is left to tell
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string outcome_of(const std::function<std::string()>& body) {
  try {
    return kReturned + body();
  } catch (const std::bad_alloc&) {
    return {kNoMemory};
  } catch (const Refused& e) {
    return kRefused + std::string(e.what());
  } catch (const std::exception& e) {
    return kThrew + std::string(e.what());
  } catch (...) {
    return kThrew + std::string("an exception of unknown type");
  }
}

// An allocation may fail in the middle of a change. Nothing is unwound then: the child ends at once.
[[noreturn]] void end_without_memory() { _exit(kEndedWithoutMemory); }

[[noreturn]] void be_the_child(pid_t parent, int out, const std::function<std::string()>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it was gone before that
  std::set_new_handler(end_without_memory);
  write_all(out, outcome_of(body));
  (void)std::fflush(nullptr);
  _exit(0);
}

int wait_for(pid_t child) {
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  return state;
}

bool is_of_the_machine(int signal) {
  return signal == SIGKILL || signal == SIGXCPU || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

StatusOr<std::string> judge(int state, std::string said) {
  if (WIFSIGNALED(state) && is_of_the_machine(WTERMSIG(state)))
    return error(Code::kResourceExhausted,
                 "the run was ended from outside by signal {} ({}); most often the machine "
                 "has too little memory or processor time for it",
                 WTERMSIG(state), strsignal(WTERMSIG(state)));
  if (WIFSIGNALED(state))
    return error(Code::kInternal, "the run was ended by signal {} ({})", WTERMSIG(state), strsignal(WTERMSIG(state)));
  if (WEXITSTATUS(state) == kEndedWithoutMemory) return out_of_memory();
  if (said.empty())
    return error(Code::kInternal, "the run ended with exit code {} and said nothing", WEXITSTATUS(state));
  if (said.front() == kNoMemory) return out_of_memory();
  if (said.front() == kRefused) return invalid("{}", said.substr(1));
  if (said.front() == kThrew) return error(Code::kInternal, "{}", said.substr(1));
  said.erase(0, 1);
  return said;
}

struct Child {
  pid_t process = -1;
  int out = -1;  // what it says comes from here
};

StatusOr<Child> start_child(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return error(Code::kResourceExhausted, "no pipe for a run: {}", std::strerror(errno));
  (void)std::fflush(nullptr);  // or both processes would write what waits in the buffers
  const pid_t parent = getpid(), child = fork();
  if (child < 0) {
    const int why = errno;
    close(ends[0]);
    close(ends[1]);
    return error(Code::kResourceExhausted, "no process for a run: {}", std::strerror(why));
  }
  if (child == 0) {
    close(ends[0]);
    be_the_child(parent, ends[1], body);
  }
  close(ends[1]);
  return Child{child, ends[0]};
}

// A child, and what it said so far.
struct Working {
  int number = 0;
  Child child;
  std::string said;
};

// Reads what there is. False at the end of it.
bool hear(Working& w) {
  std::array<char, 65536> buffer{};
  ssize_t n = 0;
  do n = read(w.child.out, buffer.data(), buffer.size());
  while (n < 0 && errno == EINTR);
  if (n > 0) w.said.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0;
}

// A SIGINT that is held here is for the child, too: Ctrl-C reaches both, `kill` one of them.
bool is_interrupt_held() {
  sigset_t waiting{};
  return sigpending(&waiting) == 0 && sigismember(&waiting, SIGINT) == 1;
}

// Children that run at once. Those that are left when it goes are ended.
class ChildPool {
 public:
  struct Ended {
    int number = 0;
    StatusOr<std::string> said;
  };

  ChildPool() = default;
  ~ChildPool() {
    for (const Working& w : working_) kill(w.child.process, SIGKILL);
    for (const Working& w : working_) (void)end(w.child);
  }
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(working_.size()); }

  Status start(int number, const std::function<std::string(int)>& body) {
    TARRY_ASSIGN(const Child child, start_child([&body, number] { return body(number); }));
    working_.push_back({number, child, {}});
    return {};
  }

  // Waits until one of them says something or ends. Gives those that ended. REQUIRES: size() > 0.
  std::vector<Ended> wait() {
    std::vector<pollfd> watched;
    for (const Working& w : working_) watched.push_back({w.child.out, POLLIN, 0});
    for (int ready = 0; ready == 0 || (ready < 0 && errno == EINTR);) {
      ready = poll(watched.data(), watched.size(), kLookEveryMs);
      for (const Working& w : working_)
        if (ready == 0 && is_interrupt_held()) kill(w.child.process, SIGINT);
    }
    std::vector<Working> still;
    std::vector<Ended> ended;
    for (std::size_t i = 0; i < working_.size(); ++i) {
      Working& w = working_[i];
      if (watched[i].revents == 0 || hear(w))
        still.push_back(std::move(w));
      else
        ended.push_back({w.number, judge(end(w.child), std::move(w.said))});
    }
    working_ = std::move(still);
    return ended;
  }

 private:
  static int end(const Child& child) {
    close(child.out);
    return wait_for(child.process);
  }

  std::vector<Working> working_;
};

// Reads what a child says until its end; false when `goes_on` said no before that.
bool hear_while(const std::function<bool()>& goes_on, Working& w) {
  for (pollfd watched{w.child.out, POLLIN, 0};;) {
    const int ready = poll(&watched, 1, kLookEveryMs);
    if (ready > 0 && !hear(w)) return true;
    if (ready == 0 && !goes_on()) return false;
  }
}

StatusOr<std::string> end_of(const Child& child) {
  Working w{0, child, {}};
  bool is_passed_on = false;
  const auto look = [&] {
    if (!is_passed_on && is_interrupt_held()) kill(child.process, SIGINT), is_passed_on = true;
    return true;
  };
  (void)hear_while(look, w);
  close(child.out);
  return judge(wait_for(child.process), std::move(w.said));
}

}  // namespace

Status out_of_memory() {
  constexpr rlim_t kMebi = 1 << 20;
  rlimit limit{};
  const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return error(Code::kResourceExhausted, "out of memory{}",
               is_limited
                   ? fmt::format(": more than {} MiB would be needed; --memory SIZE allows more, by default it is "
                                 "three quarters of the machine's",
                                 limit.rlim_cur / kMebi)
                   : "");
}

StatusOr<std::string> run_in_child(const std::function<std::string()>& body) {
  TARRY_ASSIGN(const Child child, start_child(body));
  return end_of(child);
}

StatusOr<std::string> run_in_child_while(const std::function<bool()>& goes_on,
                                         const std::function<std::string()>& body) {
  TARRY_ASSIGN(const Child child, start_child(body));
  Working w{0, child, {}};
  const bool ended = hear_while(goes_on, w);
  if (!ended) kill(child.process, SIGKILL);
  close(child.out);
  auto said = judge(wait_for(child.process), std::move(w.said));
  return ended ? said : error(Code::kCancelled, "the run was ended: nobody waits for it");
}

StatusOr<std::vector<std::string>> run_in_children(int count, const std::function<std::string(int)>& body) {
  std::vector<StatusOr<Child>> children;
  for (int i = 0; i < count; ++i) children.push_back(start_child([&body, i] { return body(i); }));
  std::vector<std::string> said;
  Status first;
  for (const auto& child : children) {
    const auto one = child.ok() ? end_of(*child) : StatusOr<std::string>(child.status());
    if (one.ok()) said.push_back(*one);
    if (!one.ok() && first.ok()) first = one.status();
  }
  if (!first.ok()) return first;
  return said;
}

void run_in_pool(int count, int at_once, const std::function<std::string(int)>& body,
                 const std::function<void(int, StatusOr<std::string>)>& ended) {
  ChildPool pool;
  for (int next = 0; next < count || pool.size() > 0;) {
    for (; next < count && pool.size() < at_once; ++next)
      if (const Status started = pool.start(next, body); !started.ok()) ended(next, started);
    if (pool.size() == 0) continue;
    for (auto& [number, said] : pool.wait()) ended(number, std::move(said));
  }
}

void run_in_order(int count, int at_once, const std::function<std::string(int)>& body,
                  const std::function<bool(int, StatusOr<std::string>)>& ended) {
  ChildPool pool;
  std::map<int, StatusOr<std::string>> early;
  for (int next = 0, told = 0; told < count;) {
    for (; next < count && pool.size() < at_once && next < told + 2 * at_once; ++next)
      if (const Status started = pool.start(next, body); !started.ok()) early.emplace(next, started);
    if (pool.size() > 0)
      for (auto& [number, said] : pool.wait()) early.emplace(number, std::move(said));
    for (auto it = early.find(told); it != early.end(); it = early.find(++told)) {
      if (!ended(told, std::move(it->second))) return;
      early.erase(it);
    }
  }
}

namespace {

// That this process may use.
int processors() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? std::max(1, CPU_COUNT(&mine)) : 1;
}

}  // namespace

int good_at_once() {
  const int most = processors();
  rlimit limit{};
  rusage children{};
  const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (!is_limited || getrusage(RUSAGE_CHILDREN, &children) != 0 || children.ru_maxrss <= 0) return most;
  const rlim_t of_memory = limit.rlim_cur / (static_cast<rlim_t>(children.ru_maxrss) * 1024);
  return static_cast<int>(std::clamp(of_memory, rlim_t{1}, static_cast<rlim_t>(most)));
}

SharedCounter::SharedCounter() {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  void* at = mmap(nullptr, sizeof *next_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  next_ = new (at) std::atomic<std::uint64_t>(0);
}

SharedCounter::~SharedCounter() { munmap(next_, sizeof *next_); }

std::uint64_t SharedCounter::take() { return next_->fetch_add(1); }

}  // namespace tarry
