#include "reports/format.h"

#include <map>
#include <set>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "reports/point_columns.h"

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

/// What a row says without its axes: its columns, and its name but for the piece of its id that the
/// database puts behind a name which several points have.
std::vector<std::string> face_of(const Point& point) {
  std::vector<std::string> face = point_cells(point);
  const auto dash = point.name.rfind('-');
  const bool has_id =
      dash != std::string::npos && point.id.rfind(point.name.substr(dash + 1), 0) == 0;
  face.push_back(point.name.substr(0, has_id ? dash : std::string::npos));
  return face;
}

/// The axes that tell apart two foreign rows which look alike otherwise; that one row has an axis
/// and the other has not is a difference.
std::set<std::string> telling_axes(const std::vector<Summary>& rows) {
  std::map<std::vector<std::string>, const Summary*> first_alike;
  std::set<std::string> telling;
  for (const auto& row : rows) {
    if (!is_foreign(row)) continue;
    const Summary& first = *first_alike.try_emplace(face_of(row.point), &row).first->second;
    for (const auto* one : {&first, &row}) {
      const NamedValues& others = (one == &first ? row : first).point.axes;
      for (const auto& axis : one->point.axes) {
        const Value* other = find_value(others, axis.first);
        if (!other || !(*other == axis.second)) telling.insert(axis.first);
      }
    }
  }
  return telling;
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
  const std::set<std::string> telling = telling_axes(rows);
  std::vector<std::string> shown;
  for (const auto& axis : all.names()) {
    if (always.count(axis) || telling.count(axis)) shown.push_back(axis);
  }
  return shown;
}

}  // namespace pippin
