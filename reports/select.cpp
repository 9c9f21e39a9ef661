#include "reports/select.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/column_kinds.h"
#include "reports/column_names.h"
#include "sweeps/expression.h"

namespace pippin {

namespace {

/// What a row has under a name of an expression: of its point first, as in a sweep file.
std::optional<Value> value_in(const Summary& row, const NamedValues& of_point,
                              const std::string& name) {
  if (const Value* value = find_value(of_point, name)) return *value;
  const ColumnKind* kind = find_column_kind(name);
  if (!kind || kind->fields.empty()) return std::nullopt;
  const Field& field = kind->fields.front();
  if (field.text) return Value{field.text(row), std::nullopt};
  const auto number = field.number(row);
  return number ? std::optional(value_of(*number)) : std::nullopt;
}

/// Whether any row could know the name.
bool is_known(const std::vector<Summary>& rows, const std::string& name) {
  const ColumnKind* kind = find_column_kind(name);
  if (kind && !kind->fields.empty()) return true;
  return std::any_of(rows.begin(), rows.end(), [&](const Summary& row) {
    return find_value(named_values(row.point), name) != nullptr;
  });
}

[[noreturn]] void refuse(const std::string& option, const std::string& name,
                         const std::vector<Summary>& rows) {
  std::vector<std::string> known;
  for (const auto& kind : column_kinds()) {
    if (!kind.fields.empty()) known.emplace_back(kind.name);
  }
  for (const auto& row : rows) {
    for (const auto& value : named_values(row.point)) {
      if (std::find(known.begin(), known.end(), value.first) == known.end())
        known.push_back(value.first);
    }
  }
  std::sort(known.begin(), known.end());
  bad_input("{}: no row has '{}'{} (there is {})", option, printable(name),
            did_you_mean(name, known), join(known, ", "));
}

Expression expression_in(const std::string& clause) {
  try {
    return Expression(clause);
  } catch (const Error& error) {
    bad_input("--where: {}", error.what());
  }
}

bool holds(Expression& expression, const Summary& row) {
  const NamedValues of_point = named_values(row.point);
  std::vector<Value> values;
  for (const auto& name : expression.names()) {
    const auto value = value_in(row, of_point, name);
    if (!value) return false;
    values.push_back(*value);
  }
  std::vector<const Value*> pointers;
  pointers.reserve(values.size());
  for (const auto& value : values) pointers.push_back(&value);
  try {
    return expression.holds(pointers);
  } catch (const Error& error) {
    bad_input("--where: {}: {}", printable(row.point.name), error.what());
  }
}

/// One key of a sort.
struct SortKey {
  const ColumnKind* kind = nullptr;  ///< null: an axis
  std::string axis;
  bool descending = false;
};

bool is_rate(const ColumnKind& kind) {
  const std::string_view name = kind.name;
  return name == "tflops" || name == "mfu" || name == "hfu" || name == "samples_per_s" ||
         name == "tokens_per_s_per_gpu" || name == "vs" || name == "best";
}

/// What rows are ranked by: of one that did not end well it does not count.
bool is_measure(const ColumnKind& kind) {
  const std::string_view name = kind.name;
  return is_rate(kind) || name == "step_time" || name == "spread";
}

SortKey sort_key_in(std::string_view word, const std::vector<Summary>& rows) {
  SortKey key;
  word = trim(word);
  const bool turned = !word.empty() && word.front() == '-';
  const std::string name(trim(word.substr(turned ? 1 : 0)));
  const ColumnName* known = find_column_name(name);
  const bool is_axis = std::any_of(rows.begin(), rows.end(), [&](const Summary& row) {
    return find_value(row.point.axes, name) != nullptr;
  });
  if (known && (known->name == name || !is_axis)) key.kind = find_column_kind(known->name);
  if (key.kind && key.kind->fields.empty()) refuse("--sort", name, rows);
  if (!key.kind && !is_axis) refuse("--sort", name, rows);
  if (!key.kind) key.axis = name;
  key.descending = (key.kind && is_rate(*key.kind)) != turned;
  return key;
}

std::optional<Value> value_of_key(const Summary& row, const SortKey& key) {
  if (!key.kind) {
    const Value* value = find_value(row.point.axes, key.axis);
    return value ? std::optional(*value) : std::nullopt;
  }
  if (is_measure(*key.kind) && row.state != RunState::kOk) return std::nullopt;
  const Field& field = key.kind->fields.front();
  if (field.number) {
    const auto number = field.number(row);
    return number ? std::optional(value_of(*number)) : std::nullopt;
  }
  std::string text = field.text(row);
  return text.empty() ? std::nullopt : std::optional(Value{std::move(text), std::nullopt});
}

/// Numbers before texts.
bool is_less(const Value& a, const Value& b) {
  if (a.number && b.number) return *a.number < *b.number;
  if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
  return a.text < b.text;
}

void sort_by(std::vector<Summary>& rows, const SortKey& key) {
  std::vector<std::optional<Value>> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(value_of_key(row, key));
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (!values[a] || !values[b]) return values[a].has_value() && !values[b].has_value();
    return key.descending ? is_less(*values[b], *values[a]) : is_less(*values[a], *values[b]);
  });
  std::vector<Summary> sorted;
  sorted.reserve(rows.size());
  for (std::size_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

}  // namespace

std::vector<Summary> rows_where(std::vector<Summary> rows,
                                const std::vector<std::string>& clauses) {
  std::vector<Expression> expressions;
  for (const auto& clause : clauses) {
    expressions.push_back(expression_in(clause));
    for (const auto& name : expressions.back().names()) {
      if (!rows.empty() && !is_known(rows, name)) refuse("--where", name, rows);
    }
  }
  for (auto& expression : expressions) {
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [&](const Summary& row) { return !holds(expression, row); }),
               rows.end());
  }
  return rows;
}

void sort_rows(std::vector<Summary>& rows, const std::string& keys) {
  if (keys.empty() || rows.empty()) return;
  const auto words = split(keys, ',');
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    sort_by(rows, sort_key_in(*word, rows));
}

std::set<std::string, std::less<>> names_to_know(const std::vector<std::string>& clauses,
                                                 const std::string& keys) {
  std::set<std::string, std::less<>> names;
  for (const auto& clause : clauses) {
    const Expression expression = expression_in(clause);
    names.insert(expression.names().begin(), expression.names().end());
  }
  for (std::string_view word : split(keys, ',')) {
    word = trim(word);
    names.emplace(!word.empty() && word.front() == '-' ? trim(word.substr(1)) : word);
  }
  return names;
}

}  // namespace pippin
