// SPDX-License-Identifier: Apache-2.0
#include "reports/show/sheet.h"

#include <fmt/format.h>
#include <utility>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/format_among.h"
#include "reports/values.h"

namespace pippin {

const std::vector<SheetFormat>& sheet_formats() {
  static const std::vector<SheetFormat> kFormats{
      {"terminal", write_sheet_terminal}, {"json", write_sheet_json}, {"html", nullptr}};
  return kFormats;
}

const SheetFormat& sheet_format_named(const std::string& name) {
  return format_among(sheet_formats(), name);
}

void SheetPart::put_table(const char* rows_are, std::vector<FlatColumn> columns) {
  table.emplace();
  table->rows_are = rows_are;
  table->columns = std::move(columns);
}

void SheetPart::say_left_out(std::size_t count, const char* what, const std::string& how) {
  if (count == 0) return;
  remarks.push_back(fmt::format("and {} more{}{}", counted(static_cast<std::int64_t>(count), what),
                                how.empty() ? "" : ", ", how));
}

std::string step_text(double ms) {
  constexpr double kShort_ms = 100, kVeryShort_ms = 0.1;
  if (ms >= kShort_ms) return short_number(ms / kMsPerSecond) + " s";
  return ms >= kVeryShort_ms ? short_number(ms) + " ms"
                             : short_number(ms * kUsPerSecond / kMsPerSecond) + " us";
}

void FactList::add(const std::string& name, const std::string& title, const std::string& text,
                   FlatValue value) {
  if (!std::holds_alternative<std::monostate>(value))
    facts_.push_back({name, title, text, std::move(value)});
}

void FactList::add(const std::string& name, const std::string& title, const std::string& text) {
  add(name, title, printable(text), flat(text));
}

void FactList::add_hidden(const std::string& name, FlatValue value) {
  add(name, "", "", std::move(value));
}

void FactList::add_count(const std::string& name, const std::string& title,
                         const std::optional<std::int64_t>& count) {
  if (count) add(name, title, std::to_string(*count), *count);
}

void FactList::add_time(const std::string& name, const std::string& title,
                        const std::optional<std::int64_t>& seconds) {
  add(name, title, utc_text(seconds));
}

}  // namespace pippin
