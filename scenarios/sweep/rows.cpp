#include "scenarios/sweep/rows.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <map>

#include "placer/core/hash.hpp"
#include "placer/core/text.hpp"

namespace tarry {
namespace {

std::string in_quotes(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out.append(c == quote ? 2 : 1, c);
  return out + quote;
}
std::string column(std::string_view name) { return in_quotes(name, '"'); }

std::string hash_of(const std::string& text) {
  Hasher hasher;
  hasher.bytes(text);
  return to_string(hasher.digest());
}

Status failed(sqlite3* d, const std::string& path) { return invalid("{}: {}", path, sqlite3_errmsg(d)); }

void bind(sqlite3_stmt* s, int at, const std::string& text) {
  sqlite3_bind_text(s, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

std::string text_at(sqlite3_stmt* s, int at) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(s, at));
  return text == nullptr ? "" : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(s, at)));
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
      "CREATE TABLE arms(arm INTEGER PRIMARY KEY{}, scenario_text TEXT);"
      "CREATE TABLE runs(arm INTEGER, seed INTEGER, program TEXT, scenario_hash TEXT, hash TEXT, verdicts TEXT{}, "
      "error TEXT, PRIMARY KEY(arm, seed)) WITHOUT ROWID;"
      "CREATE VIEW results AS SELECT * FROM arms JOIN runs USING(arm);",
      axes, measure_columns(plan, " REAL"));
}

std::string content_of(const SweepPlan& plan, const std::string& version) {
  std::string sql =
      fmt::format("INSERT INTO sweep VALUES('title', {}), ('plan', {}), ('program', {});", in_quotes(plan.title, '\''),
                  in_quotes(identity_of(plan), '\''), in_quotes(version, '\''));
  for (std::size_t n = 0; n < plan.arms.size(); ++n) {
    std::string values;
    for (const std::string& v : plan.arms[n].values) values += in_quotes(v, '\'') + ", ";
    sql += fmt::format("INSERT INTO arms VALUES({}, {}{});", n, values, in_quotes(plan.arms[n].scenario.text, '\''));
  }
  return sql;
}

}  // namespace

struct RowFile::Parts {
  struct Close {
    void operator()(sqlite3* d) const { sqlite3_close(d); }
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
  };
  using Database = std::unique_ptr<sqlite3, Close>;
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;

  std::string path, version;
  Database database;
  Statement insert;
  std::vector<std::string> scenario_hashes;
  std::size_t measures = 0;
  std::string columns;  // of the measures, in SQL

  Status run(const std::string& sql) {
    return sqlite3_exec(database.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK
               ? Status()
               : failed(database.get(), path);
  }
  StatusOr<Statement> prepare(const std::string& sql) {
    sqlite3_stmt* s = nullptr;
    if (sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &s, nullptr) != SQLITE_OK)
      return failed(database.get(), path);
    return Statement(s);
  }
  StatusOr<std::map<std::string, std::string>> said() {
    std::map<std::string, std::string> out;
    TARRY_ASSIGN(const Statement s, prepare("SELECT key, value FROM sweep"));
    while (sqlite3_step(s.get()) == SQLITE_ROW) out[text_at(s.get(), 0)] = text_at(s.get(), 1);
    return out;
  }
  StatusOr<bool> is_new() {
    TARRY_ASSIGN(const Statement s, prepare("SELECT count(*) FROM sqlite_master"));
    if (sqlite3_step(s.get()) != SQLITE_ROW) return failed(database.get(), path);
    return sqlite3_column_int(s.get(), 0) == 0;
  }
  // That its rows can stand beside new ones.
  Status check(const SweepPlan& plan) {
    const auto found = said();
    if (!found.ok()) return invalid("{}: this is no file of a sweep; give --out another one", path);
    const auto value = [&](const char* key) { return found->contains(key) ? found->at(key) : ""; };
    if (value("plan") != identity_of(plan))
      return invalid("{}: it has the rows of another plan; give --out another file, or remove this one", path);
    if (value("program") != version)
      return invalid("{}: its rows are of {}, and this is {}; give --out another file, or remove this one", path,
                     value("program"), version);
    return {};
  }
  Status make(const SweepPlan& plan) { return run("BEGIN;" + tables_of(plan) + content_of(plan, version) + "COMMIT;"); }
};

StatusOr<RowFile> RowFile::open(const std::string& path, const SweepPlan& plan, const std::string& version) {
  auto p = std::make_shared<Parts>();
  p->path = path;
  p->version = version;
  p->measures = plan.measures.size();
  p->columns = measure_columns(plan, "");
  for (const Arm& a : plan.arms) p->scenario_hashes.push_back(hash_of(a.scenario.text));
  sqlite3* database = nullptr;
  const int opened = sqlite3_open(path.c_str(), &database);
  p->database.reset(database);
  if (opened != SQLITE_OK) return failed(database, path);
  TARRY_ASSIGN(const bool is_new, p->is_new());
  TARRY_RETURN_IF_ERROR(is_new ? p->make(plan) : p->check(plan));
  std::string marks;
  for (std::size_t i = 0; i < plan.measures.size(); ++i) marks += ", ?";
  TARRY_ASSIGN(p->insert, p->prepare(fmt::format("INSERT INTO runs VALUES(?, ?, ?, ?, ?, ?{}, ?)", marks)));
  return RowFile(std::move(p));
}

Status RowFile::add(const RunRow& row) {
  sqlite3_stmt* s = parts_->insert.get();
  sqlite3_reset(s);
  sqlite3_clear_bindings(s);
  sqlite3_bind_int64(s, 1, static_cast<sqlite3_int64>(row.arm));
  sqlite3_bind_int64(s, 2, static_cast<sqlite3_int64>(row.seed));
  bind(s, 3, parts_->version);
  bind(s, 4, parts_->scenario_hashes[row.arm]);
  if (row.error.empty()) bind(s, 5, row.hash), bind(s, 6, row.verdicts);
  for (std::size_t i = 0; i < row.measures.size(); ++i)
    if (row.measures[i]) sqlite3_bind_double(s, static_cast<int>(i) + 7, *row.measures[i]);
  if (!row.error.empty()) bind(s, static_cast<int>(parts_->measures) + 7, row.error);
  return sqlite3_step(s) == SQLITE_DONE ? Status() : failed(parts_->database.get(), parts_->path);
}

StatusOr<std::vector<RunRow>> RowFile::rows() const {
  TARRY_ASSIGN(const Parts::Statement held,
               parts_->prepare(fmt::format("SELECT arm, seed, hash, verdicts, error{} FROM runs "
                                           "ORDER BY arm, seed",
                                           parts_->columns)));
  sqlite3_stmt* s = held.get();
  std::vector<RunRow> out;
  int step = 0;
  while ((step = sqlite3_step(s)) == SQLITE_ROW) {
    RunRow row{static_cast<std::size_t>(sqlite3_column_int64(s, 0)),
               static_cast<std::uint64_t>(sqlite3_column_int64(s, 1)),
               text_at(s, 2),
               text_at(s, 3),
               text_at(s, 4),
               {}};
    for (int i = 5; i < sqlite3_column_count(s); ++i)
      row.measures.push_back(sqlite3_column_type(s, i) == SQLITE_NULL ? std::nullopt
                                                                      : std::optional(sqlite3_column_double(s, i)));
    out.push_back(std::move(row));
  }
  if (step != SQLITE_DONE) return failed(parts_->database.get(), parts_->path);
  return out;
}

bool is_column(std::string_view name) {
  constexpr std::string_view kColumns[] = {"arm",           "scenario_text", "seed",     "program",
                                           "scenario_hash", "hash",          "verdicts", "error"};
  return std::ranges::find(kColumns, name) != std::end(kColumns) || find_measure(name) != nullptr;
}

std::string csv_of(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  std::vector<std::string> head{"arm"};
  for (const std::string& a : plan.axes) head.push_back(column(a));
  for (const char* name : {"seed", "hash", "verdicts"}) head.emplace_back(name);
  for (const Measure* m : plan.measures)
    head.push_back(m->unit.empty() || m->name == m->unit ? std::string(m->name)
                                                         : column(fmt::format("{} ({})", m->name, m->unit)));
  head.emplace_back("error");
  std::string out = join(head, ",") + "\n";
  for (const RunRow& r : rows) {
    std::vector<std::string> cells{std::to_string(r.arm)};
    for (const std::string& v : plan.arms[r.arm].values) cells.push_back(column(v));
    cells.insert(cells.end(), {std::to_string(r.seed), r.hash, r.verdicts});
    for (const auto& m : r.measures) cells.push_back(m ? fmt::format("{}", *m) : "");
    cells.push_back(r.error.empty() ? "" : column(r.error));
    out += join(cells, ",") + "\n";
  }
  return out;
}

}  // namespace tarry
