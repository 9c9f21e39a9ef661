// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/json_writer.h"

namespace pippin {

/// A cell as programs have it: a number where a reader of JSON gets back the same text, else a
/// text; null where it is empty.
void write_exact(const std::string& text, JsonWriter& json);
void write_exact(const std::optional<double>& number, JsonWriter& json);

void write_texts(const char* key, const std::vector<std::string>& texts, JsonWriter& json);

/// Begins the object of a document, and says what stands above all. `made_at`: seconds since 1970.
void begin_document(const std::string& kind, const std::string& title, const std::string& command,
                    std::int64_t made_at, JsonWriter& json);

/// What the page's table is told of a column; its cells and values stand with the rows.
struct ColumnHead {
  std::string name, title;
  bool is_text = false;
  bool is_shown = false;           ///< at first; a reader may choose others
  std::optional<std::size_t> csv;  ///< its place in CSV
  std::string better;              ///< "low", "high"; empty: neither
};

void write_column_heads(const std::vector<ColumnHead>& columns, JsonWriter& json);

/// JSON as it may stand in a <script> of HTML.
std::string safe_in_script(const std::string& json);

}  // namespace pippin
