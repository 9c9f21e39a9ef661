// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/summary.h"
#include "reports/time_text.h"

namespace pippin {

/// One value of a row, as programs read it: a number or a text.
struct Field {
  const char* name;  ///< "step_time_s": with its unit
  std::function<std::optional<double>(const Summary& row)> number = nullptr;
  std::string (*text)(const Summary& row) = nullptr;
};

/// What the cells of a table share.
struct TableStyle {
  TimeStyle time;
  double strip_scale = 0;  ///< share of the mean that half of a strip stands for
  bool has_state = false;  ///< a column says how rows ended
};

/// One property of a row that a table can show. Its titles are in column_names.h.
struct ColumnKind {
  enum class Kind {
    kText,
    kCount,    ///< a whole number, as it is
    kNumber,   ///< three significant digits
    kPercent,  ///< a share: "43.1 %"
    kOwn,      ///< `shown` writes it
  };
  const char* name;
  Kind kind = Kind::kText;
  int importance = 0;     ///< on a terminal: where room is short, the least goes first
  bool may_move = false;  ///< to a terminal's caption, where all rows have the same
  std::vector<Field> fields;
  std::string (*shown)(const Summary& row, const TableStyle& style,
                       std::optional<int> decimals) = nullptr;
};

/// Every property that a row has.
const std::vector<ColumnKind>& column_kinds();
/// Nothing where no column has that canonical name.
const ColumnKind* find_column_kind(std::string_view name);

/// What a person reads in a row; empty where unknown. `decimals`: instead of significant digits.
std::string cell_text(const ColumnKind& kind, const Summary& row, const TableStyle& style,
                      std::optional<int> decimals);

/// What a field says, exactly; empty where unknown.
std::string exact_text(const Field& field, const Summary& row);

}  // namespace pippin
