// SPDX-License-Identifier: Apache-2.0
#include "reports/select.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/clause_units.h"
#include "reports/column_kinds.h"
#include "reports/column_names.h"
#include "sweeps/expression.h"

namespace pippin {

namespace {

/// A column or one of its values, by any of its names: "Speed", "step_time", "ci_low_s".
struct Named {
  const ColumnKind* kind = nullptr;
  const Field* field = nullptr;
};

Named named(const std::string& name) {
  const ColumnName* known = find_column_name(name);
  const ColumnKind* kind = known ? find_column_kind(known->name) : nullptr;
  if (kind && !kind->fields.empty()) return {kind, &kind->fields.front()};
  for (const auto& one : column_kinds()) {
    for (const auto& field : one.fields) {
      if (field.name == name) return {&one, &field};
    }
  }
  return {};
}

std::optional<Value> value_in(const Summary& row, const Field& field) {
  if (field.text) {
    std::string text = field.text(row);
    return text.empty() ? std::nullopt : std::optional(Value{std::move(text), std::nullopt});
  }
  const auto number = field.number(row);
  return number ? std::optional(value_of(*number)) : std::nullopt;
}

bool is_of_point(const RowRange& rows, const std::string& name) {
  return std::any_of(rows.begin(), rows.end(), [&](const Summary& row) {
    return find_value(named_values(row.point), name) != nullptr;
  });
}

/// What a table has only where it was asked for, and how that is done.
const char* how_to_have(const Named& name) {
  static const std::map<std::string, const char*, std::less<>> kHow{
      {"run", "--by run shows runs"},
      {"number", "--by run shows runs"},
      {"allocation", "--by allocation shows them"},
      {"day", "--by day shows days"},
      {"selection", "--by campaign shows campaigns apart"},
      {"vs", "--vs ROW compares rows with one of them"},
      {"best", "rows of points that went well are ranked"}};
  const auto how = name.kind ? kHow.find(std::string_view(name.kind->name)) : kHow.end();
  return how == kHow.end() ? nullptr : how->second;
}

/// Errors: where the name is of a column that no table of this kind has.
void check_applies(const std::string& option, const std::string& name, const RowRange& rows) {
  const Named known = named(name);
  const char* how = how_to_have(known);
  if (!how || rows.empty() || is_of_point(rows, name)) return;
  const bool some = std::any_of(rows.begin(), rows.end(), [&](const Summary& row) {
    return value_in(row, *known.field).has_value();
  });
  if (!some) bad_input("{}: no row of this table has '{}'; {}", option, printable(name), how);
}

[[noreturn]] void refuse(const std::string& option, const std::string& name, const RowRange& rows) {
  std::set<std::string> known;
  for (const auto& kind : column_kinds()) {
    if (!kind.fields.empty()) known.insert(kind.name);
  }
  for (const auto& row : rows) {
    for (const auto& value : named_values(row.point)) known.insert(value.first);
  }
  const std::vector<std::string> all(known.begin(), known.end());
  bad_input("{}: no row has '{}'{} (there is {})", option, printable(name), did_you_mean(name, all),
            join(all, ", "));
}

/// A clause, compiled.
struct Clause {
  std::string written;
  BareClause bare;
  Expression expression;
  std::vector<Named> columns;  ///< of its names; none for those that only points have
};

Clause clause_in(const std::string& written) {
  try {
    BareClause bare = without_units(written);
    Expression expression(bare.text);
    Clause clause{written, std::move(bare), std::move(expression), {}};
    for (const auto& name : clause.expression.names()) clause.columns.push_back(named(name));
    return clause;
  } catch (const Error& error) {
    bad_input("--where: {}", error.what());
  }
}

/// What the point of one row has comes, in all rows, before a column of that name.
void prefer_points(Clause& clause, const RowRange& rows) {
  for (std::size_t i = 0; i < clause.columns.size(); ++i) {
    if (is_of_point(rows, clause.expression.names()[i])) clause.columns[i] = {};
  }
}

/// Errors: where an amount's unit is of no column that the clause asks, or a name's unit is not its
/// column's.
void check_units(const Clause& clause) {
  const auto& columns = clause.columns;
  for (std::size_t i = 0; i < clause.bare.amounts.size(); ++i) {
    const bool fits = std::any_of(columns.begin(), columns.end(), [&](const Named& column) {
      return column.field && dimension_of(column.field->name) == clause.bare.dimensions[i];
    });
    const bool has_own = std::any_of(columns.begin(), columns.end(),
                                     [](const Named& column) { return !column.field; });
    if (!fits)
      bad_input("--where: in '{}': nothing is measured in what '{}' is{}",
                printable(clause.written), clause.bare.amounts[i],
                has_own ? "; what a point has is a bare number" : "");
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = clause.expression.names()[i];
    if (name.ends_with("_ms") && columns[i].field)
      bad_input("--where: write '{}' for '{}', and a number with its unit, as 50ms",
                columns[i].kind->name, printable(name));
  }
}

/// What a row has under each name, of its point first, as in a sweep file; nothing where it lacks
/// one.
std::optional<std::vector<Value>> values_in(const Summary& row, const Clause& clause) {
  const NamedValues of_point = named_values(row.point);
  std::vector<Value> values;
  for (std::size_t i = 0; i < clause.columns.size(); ++i) {
    const Value* own = find_value(of_point, clause.expression.names()[i]);
    const Field* field = clause.columns[i].field;
    const auto value = own ? std::optional(*own) : field ? value_in(row, *field) : std::nullopt;
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

bool holds(Clause& clause, const Summary& row) {
  const auto values = values_in(row, clause);
  if (!values) return false;
  std::vector<const Value*> pointers;
  pointers.reserve(values->size());
  for (const auto& value : *values) pointers.push_back(&value);
  try {
    return clause.expression.holds(pointers);
  } catch (const Error& error) {
    bad_input("--where: {}: {}", printable(row.point.name), error.what());
  }
}

/// One key of a sort.
struct SortKey {
  Named column;  ///< none: an axis
  std::string axis;
  bool descending = false;
};

bool is_rate(const ColumnKind& kind) {
  const std::string_view name = kind.name;
  return name == "tflops" || name == "busbw" || name == "mfu" || name == "hfu" ||
         name == "samples_per_s" || name == "tokens_per_s_per_gpu" || name == "vs" ||
         name == "best";
}

/// What rows are ranked by: of one that did not end well it does not count.
bool is_measure(const ColumnKind& kind) {
  const std::string_view name = kind.name;
  return is_rate(kind) || name == "step_time" || name == "spread";
}

SortKey sort_key_in(std::string_view word, const RowRange& rows) {
  SortKey key;
  word = trim(word);
  const char sign = word.empty() ? '\0' : word.front();
  const bool is_signed = sign == '-' || sign == '+';
  const std::string name(trim(word.substr(is_signed ? 1 : 0)));
  const ColumnName* known = find_column_name(name);
  const bool is_axis = std::any_of(rows.begin(), rows.end(), [&](const Summary& row) {
    return find_value(row.point.axes, name) != nullptr;
  });
  if (!is_axis || (known && known->name == name)) key.column = named(name);
  if (!key.column.kind && !is_axis) refuse("--sort", name, rows);
  if (!key.column.kind) key.axis = name;
  key.descending = is_signed ? sign == '-' : key.column.kind && is_rate(*key.column.kind);
  return key;
}

std::optional<Value> value_of_key(const Summary& row, const SortKey& key) {
  if (!key.column.kind) {
    const Value* value = find_value(row.point.axes, key.axis);
    return value ? std::optional(*value) : std::nullopt;
  }
  if (is_measure(*key.column.kind) && row.state != RunState::kOk) return std::nullopt;
  return value_in(row, *key.column.field);
}

/// Numbers before texts.
bool is_less(const Value& a, const Value& b) {
  if (a.number && b.number) return *a.number < *b.number;
  if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
  return a.text < b.text;
}

/// The places of rows in their new order.
std::vector<std::uint32_t> order_by(const RowRange& rows, const SortKey& key) {
  std::vector<std::optional<Value>> values;
  values.reserve(rows.size());
  for (const Summary& row : rows) values.push_back(value_of_key(row, key));
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (!values[a] || !values[b]) return values[a].has_value() && !values[b].has_value();
    return key.descending ? is_less(*values[b], *values[a]) : is_less(*values[a], *values[b]);
  });
  return order;
}

template <typename T>
void put_in_order(std::vector<T>& things, const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(things.size());
  for (const std::uint32_t place : order) sorted.push_back(std::move(things[place]));
  things = std::move(sorted);
}

/// `rows`: of the table, before they are put in order; `put`: does so.
template <typename Rows, typename Put>
void sort_by_keys(Rows& rows, const std::string& keys, const Put& put) {
  if (keys.empty() || RowRange(rows).empty()) return;
  const auto words = split(keys, ',');
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    put(order_by(rows, sort_key_in(*word, rows)));
}

/// Errors: as rows_where().
std::vector<Clause> clauses_for(const RowRange& rows, const std::vector<std::string>& clauses) {
  std::vector<Clause> compiled;
  for (const auto& written : clauses) {
    compiled.push_back(clause_in(written));
    for (const auto& name : compiled.back().expression.names()) {
      if (!rows.empty() && !named(name).field && !is_of_point(rows, name))
        refuse("--where", name, rows);
      check_applies("--where", name, rows);
    }
    prefer_points(compiled.back(), rows);
    check_units(compiled.back());
  }
  return compiled;
}

}  // namespace

std::vector<Summary> rows_where(std::vector<Summary> rows,
                                const std::vector<std::string>& clauses) {
  for (auto& clause : clauses_for(rows, clauses))
    std::erase_if(rows, [&](const Summary& row) { return !holds(clause, row); });
  return rows;
}

void keep_where(MadeRows& rows, const std::vector<std::string>& clauses) {
  for (auto& clause : clauses_for(rows, clauses)) {
    std::vector<std::uint32_t> kept;
    auto of = rows.order.begin();
    for (const Summary& row : RowRange(rows)) {
      if (holds(clause, row)) kept.push_back(*of);
      ++of;
    }
    rows.order = std::move(kept);
  }
}

bool is_of_comparison(const std::string& clause) {
  const auto columns = clause_in(clause).columns;
  return std::any_of(columns.begin(), columns.end(), [](const Named& column) {
    const std::string_view kind = column.kind ? column.kind->name : "";
    return kind == "vs" || kind == "best";
  });
}

void sort_rows(std::vector<Summary>& rows, const std::string& keys) {
  sort_by_keys(rows, keys, [&](const auto& order) { put_in_order(rows, order); });
}

void sort_rows(MadeRows& rows, const std::string& keys) {
  sort_by_keys(rows, keys, [&](const auto& order) { put_in_order(rows.order, order); });
}

void check_sort_applies(const RowRange& rows, const std::string& keys) {
  if (keys.empty()) return;
  for (std::string_view word : split(keys, ',')) {
    word = trim(word);
    if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
    check_applies("--sort", std::string(trim(word)), rows);
  }
}

std::set<std::string, std::less<>> names_to_know(const std::vector<std::string>& clauses,
                                                 const std::string& keys) {
  std::set<std::string, std::less<>> names;
  for (const auto& written : clauses) {
    const Clause clause = clause_in(written);
    names.insert(clause.expression.names().begin(), clause.expression.names().end());
  }
  for (std::string_view word : split(keys, ',')) {
    word = trim(word);
    const bool is_signed = word.starts_with('-') || word.starts_with('+');
    names.emplace(is_signed ? trim(word.substr(1)) : word);
  }
  return names;
}

}  // namespace pippin
