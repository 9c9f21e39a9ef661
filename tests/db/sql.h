// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "db/sqlite.h"

namespace pippin::test {

/// The first column of the first row; "" where there is none.
inline std::string sql_text(db::Connection& connection, std::string_view sql) {
  db::Statement statement = connection.prepare(sql);
  return statement.step() ? statement.text(0) : "";
}

inline std::string sql_text(const fs::path& database, std::string_view sql) {
  db::Connection connection(database, false);
  return sql_text(connection, sql);
}

}  // namespace pippin::test
