// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "reports/json_writer.h"
#include "reports/text_table.h"

namespace pippin {

/// What a program reads of a cell; the first: unknown.
using FlatValue = std::variant<std::monostate, std::string, std::int64_t, double>;

/// A column of a table that is the same in all formats.
struct FlatColumn {
  TextColumn shown;               ///< without a title: only for programs
  std::string name;               ///< in CSV and JSON, with its unit; empty: only for people
  std::vector<FlatValue> values;  ///< one per row
};

struct FlatTable {
  std::string rows_are;  ///< the key of the array in JSON: "checkpoints"
  std::vector<FlatColumn> columns;
  std::vector<std::string> remarks;  ///< sentences below the table, for people
  std::size_t width = 0;             ///< columns that a line may take; 0: any
  bool colours = false;
};

/// Terminal, markdown, csv and json.
struct FlatFormat {
  std::string name;
  void (*write)(const FlatTable& table, std::ostream& out);
};

/// Errors: Error (bad input) naming the nearest format where there is none of that name.
const FlatFormat& flat_format_named(const std::string& name);
/// Whether it is html, a page (page/page.h). Errors: as flat_format_named().
bool is_page_format(const std::string& name);

void write_flat_value(JsonWriter& json, const FlatValue& value);
/// Its rows, as a key of the object that is being written.
void write_flat_rows(const FlatTable& table, JsonWriter& json);

/// A number of a cell, or nothing.
FlatValue flat(const std::optional<double>& number);
FlatValue flat(const std::optional<std::int64_t>& number);
inline FlatValue flat(FlatValue value) { return value; }
/// An empty text is nothing.
FlatValue flat(const std::string& text);

}  // namespace pippin
