#include "reports/notes/note_columns.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/column_names.h"
#include "reports/notes/quantities.h"

namespace pippin {

namespace {

bool is_usual(std::string_view title, const ColumnName& column) {
  const std::string text = lower(plain_text(title));
  return text == column.name || text == lower(column.title);
}

/// What a person's column is: their remarks are notes, and their days say when something ran.
std::string name_in_notes(const ColumnName& column) {
  if (column.name == "remarks") return "notes";
  return column.name == "day" ? "started" : column.name;
}

}  // namespace

NoteColumns::NoteColumns(const MarkdownTable& table) : table_(table) {
  std::map<std::string, std::vector<std::size_t>> usual;
  for (std::size_t i = 0; i < table.header.cells.size(); ++i) {
    const ColumnName* column = find_column_name(table.header.text(i));
    if (!column) continue;
    const std::string name = name_in_notes(*column);
    places_[name].push_back(i);
    if (name == column->name && is_usual(table.header.text(i), *column)) usual[name].push_back(i);
  }
  for (const auto& [name, places] : usual) places_[name] = places;
}

std::optional<std::size_t> NoteColumns::find(std::string_view name) const {
  const auto found = places_.find(name);
  if (found == places_.end() || found->second.size() > 1) return std::nullopt;
  return found->second.front();
}

std::string NoteColumns::doubt(std::string_view name) const {
  const auto found = places_.find(name);
  if (found == places_.end() || found->second.size() == 1) return "";
  return fmt::format("two columns may be {}: '{}' and '{}'", name,
                     printable(table_.header.text(found->second[0])),
                     printable(table_.header.text(found->second[1])));
}

std::string_view NoteColumns::text(const MarkdownRow& row, std::string_view name) const {
  const auto place = find(name);
  return place ? row.text(*place) : std::string_view();
}

std::string_view NoteColumns::title(std::string_view name) const {
  return text(table_.header, name);
}

}  // namespace pippin
