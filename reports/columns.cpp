// SPDX-License-Identifier: Apache-2.0
#include "reports/columns.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/column_names.h"
#include "reports/look_alikes.h"
#include "reports/point_columns.h"
#include "reports/probe_rates.h"

namespace pippin {

namespace {

constexpr int kMostDecimals = 9;
constexpr std::string_view kRestOfAxes = "*";

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

/// What a row says without its axes: its columns and its name.
std::vector<std::string> face_of(const Point& point) {
  std::vector<std::string> face = point_cells(point);
  face.push_back(shared_name(point));
  return face;
}

/// Finds the axes that a table shows.
class ShownAxes {
 public:
  void add(const Summary& row) {
    const bool foreign = is_foreign(row);
    for (const auto& axis : row.point.axes) {
      all_.add(axis.first);
      if (!foreign) shown_.insert(axis.first);
    }
    if (foreign) add_foreign(row.point);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& axis : all_.names()) {
      if (shown_.count(axis)) names.push_back(axis);
    }
    return names;
  }

 private:
  /// The axes that tell apart two foreign rows which look alike otherwise; that one row has an axis
  /// and the other has not is a difference.
  void add_foreign(const Point& point) {
    const NamedValues& own = point.axes;
    const NamedValues& first = first_alike_.try_emplace(face_of(point), own).first->second;
    for (const auto* one : {&first, &own}) {
      const NamedValues& others = one == &first ? own : first;
      for (const auto& axis : *one) {
        const Value* other = find_value(others, axis.first);
        if (!other || !(*other == axis.second)) shown_.insert(axis.first);
      }
    }
  }

  OrderedNames all_;
  std::set<std::string> shown_;
  std::map<std::vector<std::string>, NamedValues> first_alike_;
};

/// One word of --columns, taken apart.
struct Written {
  std::string title, name;  ///< title: empty where none is given
  bool optional = false;    ///< "?NAME": left out where no row has it
  std::optional<int> decimals;
};

Written written_in(std::string_view word) {
  Written written;
  word = trim(word);
  if (!word.empty() && word.front() == '?') {
    written.optional = true;
    word.remove_prefix(1);
  }
  const auto equals = word.find('=');
  if (equals != std::string_view::npos) {
    written.title = trim(word.substr(0, equals));
    word.remove_prefix(equals + 1);
  }
  const auto colon = word.rfind(':');
  const auto decimals =
      colon == std::string_view::npos ? std::nullopt : parse_integer(word.substr(colon + 1));
  if (decimals) {
    if (*decimals < 0 || *decimals > kMostDecimals)
      bad_input("--columns {}: decimals are from 0 to {}", printable(word), kMostDecimals);
    written.decimals = static_cast<int>(*decimals);
    word = word.substr(0, colon);
  }
  written.name = trim(word);
  return written;
}

/// The axes that a name may mean, the likeliest first: itself, the name that a title makes, and
/// what stands behind the "axis_" that a taken name gets in CSV.
std::vector<std::string> axes_meant_by(const std::string& name) {
  constexpr std::string_view kTaken = "axis_";
  std::vector<std::string> axes{name, axis_name_of(name)};
  if (name.starts_with(kTaken)) axes.push_back(name.substr(kTaken.size()));
  return axes;
}

std::set<std::string, std::less<>> axes_of(const RowRange& rows) {
  std::set<std::string, std::less<>> axes;
  for (const auto& row : rows) {
    for (const auto& axis : row.point.axes) axes.insert(axis.first);
  }
  return axes;
}

[[noreturn]] void refuse(const std::string& name, const std::set<std::string, std::less<>>& axes) {
  std::vector<std::string> known;
  for (const auto& kind : column_kinds()) known.emplace_back(kind.name);
  const std::string columns = join(known, ", ");
  for (const auto& column : column_names()) {
    if (!find_column_kind(column.name)) continue;
    known.push_back(column.title);
    known.insert(known.end(), column.aliases.begin(), column.aliases.end());
  }
  known.insert(known.end(), axes.begin(), axes.end());
  const std::vector<std::string> own(axes.begin(), axes.end());
  bad_input("--columns: no column '{}'{} (there is {}{})", printable(name),
            did_you_mean(name, known), columns, own.empty() ? "" : "; axes: " + join(own, ", "));
}

/// An axis of exactly that name comes before what the word may also mean, but not before a
/// canonical name.
std::optional<Column> column_of(const Written& written,
                                const std::set<std::string, std::less<>>& axes) {
  Column column;
  column.decimals = written.decimals;
  column.asked = true;
  const ColumnName* known = find_column_name(written.name);
  const bool canonical = known && known->name == written.name;
  if (known && (canonical || !axes.count(written.name)))
    column.kind = find_column_kind(known->name);
  column.title = !written.title.empty() ? written.title : canonical ? known->title : written.name;
  if (column.kind) return column;
  for (const auto& axis : axes_meant_by(written.name)) {
    if (column.axis.empty() && axes.count(axis)) column.axis = axis;
  }
  if (column.axis.empty() && written.optional) return std::nullopt;
  if (column.axis.empty()) refuse(written.name, axes);
  return column;
}

/// Of the axes that a table of these rows shows, those by which two of them differ.
std::vector<std::string> differing_axes(const RowRange& rows) {
  ShownAxes shown;
  std::optional<NamedValues> first;
  std::set<std::string> differing;
  for (const Summary& row : rows) {
    shown.add(row);
    if (!first) first = row.point.axes;
    for (const auto& [axis, value] : row.point.axes) {
      const Value* other = find_value(*first, axis);
      if (!other || !(*other == value)) differing.insert(axis);
    }
    for (const auto& axis : *first) {
      if (!find_value(row.point.axes, axis.first)) differing.insert(axis.first);
    }
  }
  std::vector<std::string> names = shown.names();
  std::erase_if(names, [&](const std::string& axis) { return !differing.count(axis); });
  return names;
}

std::vector<Written> all_written(const std::string& text) {
  std::vector<Written> all;
  for (const auto& word : split(text, ',')) {
    all.push_back(written_in(word));
    if (all.back().name.empty())
      bad_input("--columns: a name is missing between two commas, or at an end");
  }
  return all;
}

}  // namespace

std::vector<Column> columns_named(const std::string& text, const RowRange& rows) {
  const auto axes = axes_of(rows);
  std::vector<Column> columns;
  std::optional<std::size_t> rest;
  for (const auto& written : all_written(text)) {
    if (written.name == kRestOfAxes) {
      if (!written.title.empty() || written.decimals)
        bad_input(
            "--columns: '*' is several columns, which have no title and no decimals of theirs");
      rest = columns.size();
    } else if (const auto column = column_of(written, axes)) {
      columns.push_back(*column);
    }
  }
  if (!rest) return columns;
  std::vector<Column> more;
  for (const auto& axis : differing_axes(rows)) {
    const bool named = std::any_of(columns.begin(), columns.end(),
                                   [&](const Column& one) { return one.axis == axis; });
    if (!named) more.push_back({nullptr, axis, axis_title(axis, {}), {}, true});
  }
  columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(*rest), more.begin(), more.end());
  return columns;
}

std::set<std::string, std::less<>> axes_in_columns(const std::string& text) {
  std::set<std::string, std::less<>> axes;
  for (const auto& written : all_written(text)) {
    for (auto& axis : axes_meant_by(written.name)) axes.insert(std::move(axis));
  }
  return axes;
}

std::vector<Column> usual_columns(const std::vector<std::string>& names) {
  std::vector<Column> columns;
  columns.reserve(names.size());
  for (const auto& name : names)
    columns.push_back({find_column_kind(name), {}, find_column_name(name)->title, {}, false});
  return columns;
}

RowFacts facts_of(const RowRange& rows) {
  RowFacts facts;
  ShownAxes axes;
  std::string first_sweep;
  bool is_first = true;
  for (const Summary& row : rows) {
    if (is_first) first_sweep = row.sweep;
    is_first = false;
    facts.several_sweeps = facts.several_sweeps || row.sweep != first_sweep;
    facts.run = facts.run || !row.run.empty();
    facts.allocation = facts.allocation || !row.allocation.empty();
    facts.day = facts.day || !row.day.empty();
    facts.selection = facts.selection || !row.selection.empty();
    facts.context_parallel = facts.context_parallel || row.point.layout.cp.value_or(1) > 1;
    const bool not_ok = row.state != RunState::kOk;
    facts.not_ok = facts.not_ok || not_ok;
    facts.not_ok_with_time = facts.not_ok_with_time || (not_ok && row.step_time_s);
    facts.bus_bandwidth = facts.bus_bandwidth || row.bus_bandwidth;
    facts.vs = facts.vs || row.vs;
    facts.difference = facts.difference || !row.difference.empty();
    facts.all_measure_machine = facts.all_measure_machine && measures_machine(row.point);
    axes.add(row);
  }
  facts.axes = axes.names();
  return facts;
}

std::vector<std::string> naming_columns(const RowFacts& facts) {
  std::vector<std::string> names{"point"};
  if (facts.run) {
    names = {"run"};
  } else if (facts.allocation) {
    names.emplace_back("allocation");
  } else if (facts.day) {
    names.emplace_back("day");
  }
  if (facts.selection) names.emplace_back("selection");
  return names;
}

std::vector<Column> axis_columns(const RowFacts& facts, const std::vector<std::string>& taken) {
  std::vector<Column> columns;
  for (const auto& axis : facts.axes)
    columns.push_back({nullptr, axis, axis_title(axis, taken), {}, false});
  return columns;
}

}  // namespace pippin
