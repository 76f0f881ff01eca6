#include "properties/hunting/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

extern char** environ;

namespace tarry {
namespace {

constexpr std::size_t kLongestAnswer = 16 << 20;  // bytes

struct Pipe {
  int read_end = -1, write_end = -1;
};

StatusOr<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return error(Code::kInternal, "no pipe: {}", std::strerror(errno));
  return Pipe{ends[0], ends[1]};
}

// What it starts is no part of tarry: it may take what the user allows.
class WithoutBudget {
 public:
  WithoutBudget() {
    if (getrlimit(RLIMIT_AS, &ours_) != 0) return;
    const rlimit theirs{ours_.rlim_max, ours_.rlim_max};
    is_lifted_ = setrlimit(RLIMIT_AS, &theirs) == 0;
  }
  ~WithoutBudget() {
    if (is_lifted_) (void)setrlimit(RLIMIT_AS, &ours_);
  }
  WithoutBudget(const WithoutBudget&) = delete;
  WithoutBudget& operator=(const WithoutBudget&) = delete;

 private:
  rlimit ours_{};
  bool is_lifted_ = false;
};

StatusOr<int> spawn_shell(const std::string& command, int in, int out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  std::string shell = "/bin/sh", option = "-c", text = command;
  char* arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t process = -1;
  const WithoutBudget lifted;
  const int failed = posix_spawn(&process, "/bin/sh", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return error(Code::kUnavailable, "{}: cannot be started: {}", command, std::strerror(failed));
  return process;
}

// A program that gives one line too many would be judged by the wrong cases.
bool is_answer_to(const nlohmann::ordered_json& question, const nlohmann::ordered_json& answer) {
  return !question.contains("id") || (answer.is_object() && answer.contains("id") && answer["id"] == question["id"]);
}

}  // namespace

AskedCommand::AskedCommand(std::string command, int timeout_ms)
    : command_(std::move(command)), timeout_ms_(timeout_ms) {
  signal(SIGPIPE, SIG_IGN);  // a program that ended shows as a failed write
}

AskedCommand::~AskedCommand() { stop(); }

Status AskedCommand::start() {
  TARRY_ASSIGN(const Pipe in, make_pipe());
  TARRY_ASSIGN(const Pipe out, make_pipe());
  const StatusOr<int> process = spawn_shell(command_, in.read_end, out.write_end);
  close(in.read_end);
  close(out.write_end);
  to_ = in.write_end;
  from_ = out.read_end;
  buffer_.clear();
  if (!process.ok()) return process.status();
  process_ = *process;
  fcntl(to_, F_SETFL, O_NONBLOCK);
  fcntl(from_, F_SETFL, O_NONBLOCK);
  return {};
}

void AskedCommand::stop() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  to_ = from_ = process_ = -1;
}

Status AskedCommand::write_line(const std::string& line) {
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t n = write(to_, line.data() + sent, line.size() - sent);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
      continue;
    }
    if (errno != EAGAIN)
      return has_no_program() ? no_program() : error(Code::kUnavailable, "{}: ended before it read the case", command_);
    pollfd wait{to_, POLLOUT, 0};
    if (poll(&wait, 1, timeout_ms_) == 0)
      return error(Code::kDeadlineExceeded, "{}: did not read the case within {} ms", command_, timeout_ms_);
  }
  return {};
}

Status AskedCommand::no_program() const {
  return error(Code::kNotFound, "{}: the shell finds no such program, or may not run it", command_);
}

// The shell's own exit codes: 127 = not found, 126 = not to be run.
bool AskedCommand::has_no_program() {
  int state = 0;
  pid_t ended = 0;
  for (int i = 0; process_ > 0 && ended == 0 && i < 20; ++i)
    if (ended = waitpid(process_, &state, WNOHANG); ended == 0) poll(nullptr, 0, 10);
  if (ended <= 0) return false;
  process_ = -1;
  return WIFEXITED(state) && (WEXITSTATUS(state) == 126 || WEXITSTATUS(state) == 127);
}

Status AskedCommand::fill_buffer() {
  pollfd wait{from_, POLLIN, 0};
  if (poll(&wait, 1, timeout_ms_) == 0)
    return error(Code::kDeadlineExceeded, "{}: no answer within {} ms", command_, timeout_ms_);
  char chunk[65536];
  const ssize_t n = read(from_, chunk, sizeof chunk);
  if (n < 0 && errno == EAGAIN) return {};
  if (n <= 0 && buffer_.empty() && has_no_program()) return no_program();
  if (n <= 0)
    return error(Code::kUnavailable, "{}: ended{}", command_,
                 buffer_.empty() ? " without an answer" : " in the middle of an answer: " + buffer_.substr(0, 100));
  buffer_.append(chunk, static_cast<std::size_t>(n));
  if (buffer_.size() > kLongestAnswer) return invalid("{}: an answer of over {} bytes", command_, kLongestAnswer);
  return {};
}

StatusOr<std::string> AskedCommand::read_line() {
  for (;;) {
    if (const auto end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    TARRY_RETURN_IF_ERROR(fill_buffer());
  }
}

StatusOr<nlohmann::ordered_json> AskedCommand::ask(const nlohmann::ordered_json& question) {
  if (process_ < 0) TARRY_RETURN_IF_ERROR(start());
  const Status sent = write_line(question.dump() + "\n");
  const StatusOr<std::string> line = sent.ok() ? read_line() : StatusOr<std::string>(sent);
  if (!line.ok()) stop();
  TARRY_RETURN_IF_ERROR(line.status());
  auto answer = nlohmann::ordered_json::parse(*line, nullptr, false);
  if (!answer.is_discarded() && is_answer_to(question, answer)) return answer;
  stop();
  if (answer.is_discarded()) return invalid("{}: not JSON: {}", command_, line->substr(0, 100));
  return invalid("{}: expected an answer with \"id\": {}, not {}", command_, question["id"].dump(),
                 line->substr(0, 100));
}

}  // namespace tarry
