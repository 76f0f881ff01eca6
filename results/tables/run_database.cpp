#include "results/tables/run_database.hpp"

#include <fmt/format.h>

#include "placer/core/text.hpp"
#include "results/tables/sqlite.hpp"
#include "results/tables/views.hpp"

namespace tarry {
namespace {

std::string definition_of(const Table& t) {
  std::vector<std::string> columns;
  for (const Column& c : t.columns)
    columns.push_back(in_quotes(c.name, '"') + (c.type == ColumnType::integer ? " INTEGER" : " TEXT"));
  return fmt::format("CREATE TABLE {}({});", in_quotes(t.name, '"'), join(columns, ", "));
}

Status fill(SqlDatabase& d, const Table& t) {
  const std::vector<std::string> marks(t.columns.size(), "?");
  TARRY_ASSIGN(SqlStatement insert,
               d.prepare(fmt::format("INSERT INTO {} VALUES({})", in_quotes(t.name, '"'), join(marks, ", "))));
  for (std::size_t r = 0; r < t.rows; ++r) {
    insert.reset();
    for (std::size_t c = 0; c < t.columns.size(); ++c) insert.bind(static_cast<int>(c), t.at(r, c));
    TARRY_RETURN_IF_ERROR(insert.next().status());
  }
  return {};
}

Status add_facts(SqlDatabase& d, const std::vector<RunFact>& facts) {
  TARRY_RETURN_IF_ERROR(d.run("CREATE TABLE run(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"));
  TARRY_ASSIGN(SqlStatement insert, d.prepare("INSERT INTO run VALUES(?, ?)"));
  for (const RunFact& f : facts) {
    insert.reset();
    insert.bind(0, f.key);
    insert.bind(1, f.value);
    TARRY_RETURN_IF_ERROR(insert.next().status());
  }
  return {};
}

Status add_views(SqlDatabase& d) {
  TARRY_RETURN_IF_ERROR(d.run(std::string(run_indexes())));
  for (const View& v : run_views())
    TARRY_RETURN_IF_ERROR(d.run(fmt::format("CREATE VIEW {} AS -- {}\n{};", v.name, v.question, v.select)));
  return {};
}

}  // namespace

StatusOr<std::string> run_database(const std::vector<Table>& tables, const std::vector<RunFact>& facts) {
  TARRY_ASSIGN(SqlDatabase d, SqlDatabase::open(":memory:"));
  TARRY_RETURN_IF_ERROR(d.run("BEGIN"));
  TARRY_RETURN_IF_ERROR(add_facts(d, facts));
  for (const Table& t : tables) {
    TARRY_RETURN_IF_ERROR(d.run(definition_of(t)));
    TARRY_RETURN_IF_ERROR(fill(d, t));
  }
  TARRY_RETURN_IF_ERROR(add_views(d));
  TARRY_RETURN_IF_ERROR(d.run("COMMIT"));
  return d.bytes();
}

}  // namespace tarry
