#include "scenarios/sweep/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "placer/core/hash.hpp"
#include "placer/core/text.hpp"
#include "results/tables/sqlite.hpp"

namespace tarry {
namespace {

std::string column(std::string_view name) { return in_quotes(name, '"'); }

std::string hash_of(const std::string& text) {
  Hasher hasher;
  hasher.bytes(text);
  return to_string(hasher.digest());
}

std::string measure_columns(const SweepPlan& plan, std::string_view type) {
  std::string out;
  for (const Measure* m : plan.measures) out += fmt::format(", {}{}", column(m->name), type);
  return out;
}

std::string tables_of(const SweepPlan& plan) {
  std::string axes;
  for (const std::string& a : plan.axes) axes += fmt::format(", {} TEXT", column(a));
  return fmt::format(
      "CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT);"
      "CREATE TABLE files(name TEXT PRIMARY KEY, digest TEXT) WITHOUT ROWID;"
      "CREATE TABLE arms(arm INTEGER PRIMARY KEY{}, scenario_text TEXT);"
      "CREATE TABLE runs(arm INTEGER, seed INTEGER, program TEXT, scenario_hash TEXT, hash TEXT, verdicts TEXT{}, "
      "error TEXT, reached_stop INTEGER, update_is TEXT, PRIMARY KEY(arm, seed)) WITHOUT ROWID;"
      "CREATE VIEW results AS SELECT * FROM arms JOIN runs USING(arm);",
      axes, measure_columns(plan, " REAL"));
}

std::string other_words(const std::string& what, const std::vector<std::string>& had,
                        const std::vector<std::string>& has) {
  return fmt::format("its {} are {}, and those of the plan are {}", what, join(had, ", "), join(has, ", "));
}

// The first line in which two scenarios differ.
std::string other_line(const std::string& had, const std::string& has) {
  const auto before = split(had, '\n'), now = split(has, '\n');
  const auto [a, b] = std::ranges::mismatch(before, now);
  const auto said = [](auto at, const auto& all) {
    constexpr std::size_t kMost = 80;  // letters of a line
    if (at == all.end()) return std::string("nothing");
    return at->size() > kMost ? fmt::format("'{}...'", at->substr(0, kMost)) : fmt::format("'{}'", *at);
  };
  return fmt::format("line {} of the scenario was {}, and is {}", a - before.begin() + 1, said(a, before),
                     said(b, now));
}

std::string content_of(const SweepPlan& plan, const std::string& version) {
  std::string sql =
      fmt::format("INSERT INTO sweep VALUES('title', {}), ('plan', {}), ('program', {});", in_quotes(plan.title, '\''),
                  in_quotes(identity_of(plan), '\''), in_quotes(version, '\''));
  for (const auto& [name, digest] : plan.files)
    sql += fmt::format("INSERT INTO files VALUES({}, '{}');", in_quotes(name, '\''), digest);
  for (std::size_t n = 0; n < plan.arms.size(); ++n) {
    std::string values;
    for (const std::string& v : plan.arms[n].values) values += in_quotes(v, '\'') + ", ";
    sql += fmt::format("INSERT INTO arms VALUES({}, {}{});", n, values, in_quotes(plan.arms[n].scenario.text, '\''));
  }
  return sql;
}

}  // namespace

struct RowFile::Parts {
  std::string path, version;
  SqlDatabase database;
  std::optional<SqlStatement> insert;
  std::vector<std::string> scenario_hashes;
  std::size_t measures = 0;
  std::string columns;  // of the measures, in SQL

  StatusOr<std::map<std::string, std::string>> said() {
    std::map<std::string, std::string> out;
    TARRY_ASSIGN(SqlStatement s, database.prepare("SELECT key, value FROM sweep"));
    while (s.next().value_or(false)) out[s.text(0)] = s.text(1);
    return out;
  }
  StatusOr<bool> is_new() {
    TARRY_ASSIGN(SqlStatement s, database.prepare("SELECT count(*) FROM sqlite_master"));
    TARRY_RETURN_IF_ERROR(s.next().status());
    return s.number(0) == 0;
  }
  StatusOr<std::vector<std::string>> columns_of(const char* table) {
    TARRY_ASSIGN(SqlStatement s, database.prepare(fmt::format("SELECT name FROM pragma_table_info('{}')", table)));
    std::vector<std::string> out;
    while (s.next().value_or(false)) out.push_back(s.text(0));
    return out;
  }
  // What the rows' plan has otherwise than this one.
  StatusOr<std::string> difference(const SweepPlan& plan) {
    TARRY_ASSIGN(std::vector<std::string> axes, columns_of("arms"));  // arm, the axes, scenario_text
    if (axes.size() >= 2) axes.erase(axes.begin()), axes.pop_back();
    TARRY_ASSIGN(std::vector<std::string> measured, columns_of("runs"));
    std::erase_if(measured, [](const std::string& name) { return find_measure(name) == nullptr; });
    std::vector<std::string> wanted;
    for (const Measure* m : plan.measures) wanted.emplace_back(m->name);
    if (axes != plan.axes) return other_words("axes", axes, plan.axes);
    if (measured != wanted) return other_words("measures", measured, wanted);
    TARRY_ASSIGN(SqlStatement s, database.prepare("SELECT * FROM arms ORDER BY arm"));
    const std::string other_number =
        fmt::format("it has another number of arms than the plan, which has {}", plan.arms.size());
    std::size_t n = 0;
    for (; s.next().value_or(false); ++n) {
      if (n == plan.arms.size()) return other_number;
      std::vector<std::string> values;
      for (std::size_t i = 0; i < axes.size(); ++i) values.push_back(s.text(static_cast<int>(i) + 1));
      if (values != plan.arms[n].values)
        return other_words(fmt::format("values in arm {}", n), values, plan.arms[n].values);
      const std::string text = s.text(static_cast<int>(axes.size()) + 1);
      if (text != plan.arms[n].scenario.text) return other_line(text, plan.arms[n].scenario.text);
    }
    if (n < plan.arms.size()) return other_number;
    return other_file(plan);
  }
  // A file that the scenario names.
  StatusOr<std::string> other_file(const SweepPlan& plan) {
    TARRY_ASSIGN(SqlStatement s, database.prepare("SELECT name, digest FROM files"));
    std::map<std::string, std::string> before;
    while (s.next().value_or(false)) before[s.text(0)] = s.text(1);
    for (const auto& [name, digest] : plan.files) {
      const auto it = before.find(name);
      if (it == before.end()) return fmt::format("the file {} was not there", name);
      if (it->second != digest) return fmt::format("the file {} has changed", name);
      before.erase(it);
    }
    return before.empty() ? "its files have changed" : fmt::format("the file {} is gone", before.begin()->first);
  }
  // That its rows can stand beside new ones.
  Status check(const SweepPlan& plan) {
    const auto found = said();
    if (!found.ok()) return invalid("{}: this is no file of a sweep; give --out another one", path);
    const auto value = [&](const char* key) { return found->contains(key) ? found->at(key) : ""; };
    if (value("plan") != identity_of(plan)) {
      TARRY_ASSIGN(const std::string what, difference(plan));
      return invalid(
          "{}: it has the rows of another plan: {}; remove the file to run all anew, or give --out another file", path,
          what);
    }
    if (value("program") != version)
      return invalid("{}: its rows are of {}, and this is {}; give --out another file, or remove this one", path,
                     value("program"), version);
    return {};
  }
  Status make(const SweepPlan& plan) {
    return database.run("BEGIN;" + tables_of(plan) + content_of(plan, version) + "COMMIT;");
  }
};

StatusOr<RowFile> RowFile::open(const std::string& path, const SweepPlan& plan, const std::string& version) {
  TARRY_ASSIGN(SqlDatabase database, SqlDatabase::open(path));
  auto p = std::make_shared<Parts>(Parts{path, version, std::move(database), {}, {}, plan.measures.size(), {}});
  p->columns = measure_columns(plan, "");
  for (const Arm& a : plan.arms) p->scenario_hashes.push_back(hash_of(a.scenario.text));
  TARRY_ASSIGN(const bool is_new, p->is_new());
  TARRY_RETURN_IF_ERROR(is_new ? p->make(plan) : p->check(plan));
  std::string marks;
  for (std::size_t i = 0; i < plan.measures.size(); ++i) marks += ", ?";
  TARRY_ASSIGN(p->insert,
               p->database.prepare(fmt::format("INSERT INTO runs VALUES(?, ?, ?, ?, ?, ?{}, ?, ?, ?)", marks)));
  return RowFile(std::move(p));
}

Status RowFile::add(const RunRow& row) {
  SqlStatement& s = *parts_->insert;
  s.reset();
  s.bind(0, static_cast<std::int64_t>(row.arm));
  s.bind(1, static_cast<std::int64_t>(row.seed));
  s.bind(2, parts_->version);
  s.bind(3, parts_->scenario_hashes[row.arm]);
  if (row.error.empty()) s.bind(4, row.hash), s.bind(5, row.verdicts);
  for (std::size_t i = 0; i < row.measures.size(); ++i)
    if (row.measures[i]) s.bind(static_cast<int>(i) + 6, *row.measures[i]);
  const int after = static_cast<int>(parts_->measures) + 6;
  if (!row.error.empty()) s.bind(after, row.error);
  if (row.error.empty()) s.bind(after + 1, std::int64_t{row.reached_stop});
  if (!row.update_is.empty()) s.bind(after + 2, row.update_is);
  const Status added = s.next().status();
  if (text_of(added).find("UNIQUE constraint") == std::string_view::npos) return added;
  return invalid(
      "{}: another sweep has written the same run into it meanwhile; run this command again when that one is done",
      parts_->path);
}

StatusOr<std::vector<RunRow>> RowFile::rows() const {
  TARRY_ASSIGN(SqlStatement s,
               parts_->database.prepare(fmt::format("SELECT arm, seed, hash, verdicts, error, reached_stop, "
                                                    "update_is{} FROM runs "
                                                    "ORDER BY arm, seed",
                                                    parts_->columns)));
  std::vector<RunRow> out;
  while (true) {
    TARRY_ASSIGN(const bool is_row, s.next());
    if (!is_row) return out;
    RunRow row{static_cast<std::size_t>(s.number(0)),
               static_cast<std::uint64_t>(s.number(1)),
               s.text(2),
               s.text(3),
               s.text(4),
               {}};
    row.reached_stop = s.is_null(5) || s.number(5) != 0;
    row.update_is = s.text(6);
    for (int i = 7; i < s.columns(); ++i)
      row.measures.push_back(s.is_null(i) ? std::nullopt : std::optional(s.real(i)));
    out.push_back(std::move(row));
  }
}

bool is_column(std::string_view name) {
  constexpr std::string_view kColumns[] = {"arm",  "scenario_text", "seed",  "program",      "scenario_hash",
                                           "hash", "verdicts",      "error", "reached_stop", "update_is"};
  return std::ranges::find(kColumns, name) != std::end(kColumns) || find_measure(name) != nullptr;
}

std::string csv_of(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  std::vector<std::string> head{"arm"};
  for (const std::string& a : plan.axes) head.push_back(column(a));
  for (const char* name : {"seed", "hash", "verdicts"}) head.emplace_back(name);
  for (const Measure* m : plan.measures)
    head.push_back(m->unit.empty() || m->name == m->unit ? std::string(m->name)
                                                         : column(fmt::format("{} ({})", m->name, m->unit)));
  for (const char* name : {"error", "reached_stop", "update_is"}) head.emplace_back(name);
  std::string out = join(head, ",") + "\n";
  for (const RunRow& r : rows) {
    std::vector<std::string> cells{std::to_string(r.arm)};
    for (const std::string& v : plan.arms[r.arm].values) cells.push_back(column(v));
    cells.insert(cells.end(), {std::to_string(r.seed), r.hash, r.verdicts});
    for (const auto& m : r.measures) cells.push_back(m ? fmt::format("{}", *m) : "");
    cells.push_back(r.error.empty() ? "" : column(r.error));
    cells.push_back(!r.error.empty() ? "" : r.reached_stop ? "1" : "0");
    cells.push_back(r.update_is);
    out += join(cells, ",") + "\n";
  }
  return out;
}

}  // namespace tarry
