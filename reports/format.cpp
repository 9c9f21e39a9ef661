#include "reports/format.h"

#include <optional>
#include <set>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace pippin {

namespace {

/// Names in the order they came.
class OrderedNames {
 public:
  void add(const std::string& name) {
    if (seen_.insert(name).second) names_.push_back(name);
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> names_;
};

bool is_foreign(const Summary& row) { return row.sweep.empty(); }

/// True where two foreign rows differ in an axis; that one has it and one has not is a difference.
bool foreign_rows_differ(const std::vector<Summary>& rows, const std::string& axis) {
  const Summary* first = nullptr;
  for (const auto& row : rows) {
    if (!is_foreign(row)) continue;
    if (!first) first = &row;
    const Value* a = find_value(first->point.axes, axis);
    const Value* b = find_value(row.point.axes, axis);
    if (!a != !b || (a && !(*a == *b))) return true;
  }
  return false;
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> kFormats{{"terminal", write_terminal}, {"csv", write_csv}};
  return kFormats;
}

const Format& format_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& format : formats()) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  bad_input("unknown format '{}'{} (known: {})", printable(name), did_you_mean(name, names),
            join(names, ", "));
}

std::vector<std::string> shown_axes(const std::vector<Summary>& rows) {
  OrderedNames own, all;
  for (const auto& row : rows) {
    for (const auto& axis : row.point.axes) {
      all.add(axis.first);
      if (!is_foreign(row)) own.add(axis.first);
    }
  }
  const std::set<std::string> always(own.names().begin(), own.names().end());
  std::vector<std::string> shown;
  for (const auto& axis : all.names()) {
    if (always.count(axis) || foreign_rows_differ(rows, axis)) shown.push_back(axis);
  }
  return shown;
}

}  // namespace pippin
