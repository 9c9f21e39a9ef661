// SPDX-License-Identifier: Apache-2.0
#include "db/guard.h"

#include <cctype>
#include <fmt/format.h>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/migrate.h"

namespace pippin::db {

namespace {

/// With one blank for each run of them, and without the quotes that a renaming puts about names.
std::string as_compared(std::string_view sql) {
  std::string text;
  for (const char c : sql) {
    const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (is_blank && (text.empty() || text.back() == ' ')) continue;
    if (c != '"') text += is_blank ? ' ' : c;
  }
  return text;
}

/// All SQL that this pippin, or an older one, makes tables by.
const std::string& own_sql() {
  static const std::string all = [] {
    std::string text = as_compared(schema().front().text);
    for (const auto& file : migrations()) text += as_compared(file.text);
    return text;
  }();
  return all;
}

/// Of tables and views.
const std::set<std::string, std::less<>>& own_names() {
  static const std::set<std::string, std::less<>> all = [] {
    std::set<std::string, std::less<>> names;
    for (const std::string_view before : {"CREATE TABLE ", "CREATE VIEW "}) {
      for (auto at = own_sql().find(before); at != std::string::npos;
           at = own_sql().find(before, at + 1)) {
        const auto name = std::string_view(own_sql()).substr(at + before.size());
        names.emplace(name.substr(0, name.find_first_of(" (")));
      }
    }
    return names;
  }();
  return all;
}

bool is_ours(std::string_view sql) { return own_sql().find(as_compared(sql)) != std::string::npos; }

}  // namespace

void refuse_strange_schema(Connection& connection) {
  Statement entries = connection.prepare(
      "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master WHERE type IN ('trigger', "
      "'view') OR sql LIKE 'CREATE VIRTUAL%'");
  while (entries.step()) {
    if (own_names().count(lower(entries.text(2))) == 0 || is_ours(entries.view(3))) continue;
    bad_input(
        "{}: its {} '{}' is not pippin's, and would be run with what is stored; drop it, or "
        "name another file with --db",
        connection.path().string(), entries.text(0), printable(entries.view(1)));
  }
}

}  // namespace pippin::db
