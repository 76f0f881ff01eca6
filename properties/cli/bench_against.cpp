// `tarry bench --against REV`: this checkout's bench beside that of another commit, in turns.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "placer/graph/read.hpp"
#include "properties/bench/compared.hpp"
#include "properties/cli/bench.hpp"
#include "properties/cli/checkout.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/shell_word.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

struct Side {
  std::string name;    // "HEAD~3, commit 50c5faa1b2"
  std::string folder;  // a checkout with a launcher
  std::vector<Round> rounds;

  [[nodiscard]] std::string built(const std::string& file) const { return folder + "/build/release/" + file; }
};

// One comparison at a time: another one would check out another commit below this one's hands.
class OnlyOne {
 public:
  explicit OnlyOne(const std::string& file)
      : name_(file), file_(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {}
  ~OnlyOne() {
    if (file_ >= 0) close(file_);
  }
  OnlyOne(const OnlyOne&) = delete;
  OnlyOne& operator=(const OnlyOne&) = delete;
  [[nodiscard]] Status check() const {
    if (file_ < 0) return invalid("{}: cannot be written: {}", name_, std::strerror(errno));
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) return {};
    return invalid("{}: another comparison is under way", name_);
  }

 private:
  std::string name_;
  int file_;
};

// ---- two checkouts, both built ----

// The commit's files in `folder`. Those of another commit that are there already are changed where the two differ, so
// that little has to be built. What is no worktree any more is made anew.
Status check_out(const Home& home, const std::string& folder, const std::string& commit) {
  std::error_code failed;
  if (fs::exists(folder + "/.git", failed) && git(folder, {"checkout", "--quiet", "--force", "--detach", commit}).ok())
    return {};
  fs::remove_all(folder, failed);
  TARRY_RETURN_IF_ERROR(git(home.folder, {"worktree", "prune"}).status());
  return git(home.folder, {"worktree", "add", "--quiet", "--detach", folder, commit}).status();
}

StatusOr<Side> other_side(const Home& home, const std::string& rev) {
  const auto commit = git(home.folder, {"log", "-1", "--format=%h", "--abbrev=10", "--end-of-options", rev, "--"});
  if (!commit.ok()) return with_prefix(commit.status(), fmt::format("--against {}: ", rev));
  if (commit->empty()) return invalid("--against {}: it names no commit", rev);
  Side side{fmt::format("{}, commit {}", rev, *commit), fs::absolute(home.folder + "/build/against"), {}};
  if (const Status s = check_out(home, side.folder, *commit); !s.ok())
    return with_prefix(s, fmt::format("--against {}: ", rev));
  return side;
}

StatusOr<Side> this_side(const Home& home) {
  TARRY_ASSIGN(const std::string commit, commit_of(home));
  return Side{"this checkout, commit " + commit, home.folder, {}};
}

// By the side's own launcher, which builds what is not built yet, and says how far it is.
Status build(const Side& side) {
  const int code = run_shell(shell_word(side.folder + "/tarry") + " bench --help >/dev/null");
  if (code == 0) return {};
  return error(code == kBadInput ? Code::kInvalidArgument : Code::kInternal, "{}: it could not be built; the log is {}",
               side.name, side.built("build.log"));
}

// ---- rounds ----

std::string command_of(const Side& side, const BenchArguments& a) {
  std::string words = "TARRY_HOME=" + shell_word(side.folder) + " " + shell_word(side.built("bin/tarry_judge"));
  words += " bench " + a.what + " --out " + shell_word(side.built("bench.json"));
  if (!a.filter.empty()) words += " --filter " + shell_word(a.filter);
  return words + " >" + shell_word(side.built("bench.log")) + " 2>&1";
}

Status run_round(Side& side, const BenchArguments& a) {
  if (const int code = run_shell(command_of(side, a)); code != 0)
    return error(code == kBadInput ? Code::kInvalidArgument : Code::kInternal,
                 "{}: its bench ended with exit code {}; what it said is in {}", side.name, code,
                 side.built("bench.log"));
  TARRY_ASSIGN(const std::string json, read_file(side.built("bench.json")));
  auto figures = figures_in(json);
  if (!figures.ok()) return with_prefix(figures.status(), side.built("bench.json") + ": ");
  side.rounds.push_back(*std::move(figures));
  return {};
}

Status run_rounds(Side& a, Side& b, const BenchArguments& arguments) {
  ProgressLine progress;
  for (std::size_t round = 1; round <= arguments.rounds; ++round)
    for (Side* side : {&a, &b}) {
      progress.show([&](double) { return fmt::format("round {} of {}: {}", round, arguments.rounds, side->name); });
      TARRY_RETURN_IF_ERROR(run_round(*side, arguments));
    }
  return {};
}

StatusOr<std::string> comparison(const Home& home, const BenchArguments& arguments) {
  TARRY_RETURN_IF_ERROR(check_checkout(home, "--against"));
  std::error_code none;
  fs::create_directories(home.folder + "/build", none);
  const OnlyOne lock(home.folder + "/build/against.lock");
  TARRY_RETURN_IF_ERROR(lock.check());
  TARRY_ASSIGN(Side a, other_side(home, *arguments.against));
  TARRY_ASSIGN(Side b, this_side(home));
  for (const Side* side : {&a, &b}) TARRY_RETURN_IF_ERROR(build(*side));
  TARRY_RETURN_IF_ERROR(run_rounds(a, b, arguments));
  return text_of(compare_rounds(a.rounds, b.rounds), a.name, b.name, arguments.rounds);
}

}  // namespace

int bench_against(const Home& home, const BenchArguments& arguments) {
  const auto text = comparison(home, arguments);
  if (!text.ok()) return refuse(text.status());
  fmt::print("{}", *text);
  return kOk;
}

}  // namespace tarry
