// An SQLite database as a value: the few calls that files of rows need, with errors as a Status.
//
// Every call that fails gives INVALID_ARGUMENT `PATH: SQLite's words`.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "placer/core/status.hpp"
#include "results/tables/table.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace tarry {

// 'it''s', or with '"' a name: "a ""b""".
[[nodiscard]] std::string in_quotes(std::string_view text, char quote);

class SqlStatement {
 public:
  // Parameters and columns count from 0. What is not bound is NULL.
  void bind(int parameter, const Cell& value);
  void bind(int parameter, double value);
  // Forgets what was bound, so that the statement can run again.
  void reset();
  // The next row; false = there is none.
  [[nodiscard]] StatusOr<bool> next();

  [[nodiscard]] int columns() const;
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;  // "" of NULL

 private:
  friend class SqlDatabase;
  struct Close {
    void operator()(sqlite3_stmt* s) const;
  };
  SqlStatement(sqlite3_stmt* s, std::string path) : statement_(s), path_(std::move(path)) {}
  std::unique_ptr<sqlite3_stmt, Close> statement_;
  std::string path_;
};

class SqlDatabase {
 public:
  // A file that is there or is made; `:memory:` is none.
  [[nodiscard]] static StatusOr<SqlDatabase> open(const std::string& path);
  [[nodiscard]] Status run(const std::string& sql);
  [[nodiscard]] StatusOr<SqlStatement> prepare(const std::string& sql) const;
  // What a file of it holds.
  [[nodiscard]] StatusOr<std::string> bytes() const;

 private:
  struct Close {
    void operator()(sqlite3* d) const;
  };
  SqlDatabase(sqlite3* d, std::string path) : database_(d), path_(std::move(path)) {}
  std::unique_ptr<sqlite3, Close> database_;
  std::string path_;
};

}  // namespace tarry
