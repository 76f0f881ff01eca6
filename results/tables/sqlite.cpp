#include "results/tables/sqlite.hpp"

#include <sqlite3.h>

namespace tarry {
namespace {

Status failed(sqlite3* d, const std::string& path) { return invalid("{}: {}", path, sqlite3_errmsg(d)); }

}  // namespace

std::string in_quotes(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out.append(c == quote ? 2 : 1, c);
  return out + quote;
}

void SqlStatement::Close::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
void SqlDatabase::Close::operator()(sqlite3* d) const { sqlite3_close(d); }

void SqlStatement::bind(int parameter, const Cell& value) {
  sqlite3_stmt* s = statement_.get();
  if (const auto* n = std::get_if<std::int64_t>(&value)) sqlite3_bind_int64(s, parameter + 1, *n);
  if (const auto* t = std::get_if<std::string_view>(&value))
    sqlite3_bind_text(s, parameter + 1, t->data(), static_cast<int>(t->size()), SQLITE_TRANSIENT);
}
void SqlStatement::bind(int parameter, double value) { sqlite3_bind_double(statement_.get(), parameter + 1, value); }

void SqlStatement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

StatusOr<bool> SqlStatement::next() {
  const int step = sqlite3_step(statement_.get());
  if (step != SQLITE_ROW && step != SQLITE_DONE) return failed(sqlite3_db_handle(statement_.get()), path_);
  return step == SQLITE_ROW;
}

int SqlStatement::columns() const { return sqlite3_column_count(statement_.get()); }
bool SqlStatement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
std::int64_t SqlStatement::number(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double SqlStatement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }
std::string SqlStatement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return text == nullptr ? "" : std::string(text, size);
}

StatusOr<SqlDatabase> SqlDatabase::open(const std::string& path) {
  sqlite3* d = nullptr;
  const int opened = sqlite3_open(path.c_str(), &d);
  SqlDatabase database(d, path);
  if (opened != SQLITE_OK) return failed(d, path);
  return database;
}

Status SqlDatabase::run(const std::string& sql) {
  sqlite3* d = database_.get();
  return sqlite3_exec(d, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? Status() : failed(d, path_);
}

StatusOr<SqlStatement> SqlDatabase::prepare(const std::string& sql) const {
  sqlite3_stmt* s = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &s, nullptr) != SQLITE_OK)
    return failed(database_.get(), path_);
  return SqlStatement(s, path_);
}

StatusOr<std::string> SqlDatabase::bytes() const {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> all(
      sqlite3_serialize(database_.get(), "main", &size, 0), sqlite3_free);
  if (all == nullptr) return invalid("{}: no memory for the database", path_);
  return std::string(reinterpret_cast<const char*>(all.get()), static_cast<std::size_t>(size));
}

}  // namespace tarry
