#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/notes/markdown.h"

namespace pippin {

/// Which columns of a table are known, by their names in column_names().
class NoteColumns {
 public:
  explicit NoteColumns(const MarkdownTable& table);

  /// The place of a column; where two titles mean it, of the one that is its usual title.
  /// Nothing where none does, or two do alike.
  std::optional<std::size_t> find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name).has_value(); }

  /// "two columns may be step_time: 'Speed' and 'Time'"; empty where none or one may be.
  std::string doubt(std::string_view name) const;

  /// A cell's text, empty where the table has no such column; and the column's title.
  std::string_view text(const MarkdownRow& row, std::string_view name) const;
  std::string_view title(std::string_view name) const;

 private:
  const MarkdownTable& table_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> places_;  // more than one: in doubt
};

}  // namespace pippin
