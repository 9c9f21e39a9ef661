// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/row_arguments.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

namespace {

std::string text_of(const nlohmann::json& value) {
  if (value.is_boolean()) return "True";
  if (value.is_string()) return value.get<std::string>();
  const auto whole = value.is_number() ? whole_number(value.get<double>()) : std::nullopt;
  return whole ? std::to_string(*whole) : std::string(only_of_list(value.dump()));
}

}  // namespace

std::optional<RowArguments> RowArguments::in_notes(const PointRow& row) {
  const std::string notes = row.text("notes");
  RowArguments arguments;
  if (!notes.starts_with('{')) return arguments;
  const auto parsed = nlohmann::json::parse(notes, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  for (const auto& [written, value] : parsed.items()) {
    if (value.is_null() || (value.is_boolean() && !value.get<bool>())) continue;
    std::string name = written;
    std::replace(name.begin(), name.end(), '_', '-');
    if (name.starts_with("--")) name.erase(0, 2);
    arguments.texts_[name] = text_of(value);
  }
  return arguments;
}

std::string RowArguments::word(const std::string& name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? "" : found->second;
}

double RowArguments::number(const std::string& name, double other) const {
  return parse_number(word(name)).value_or(other);
}

std::int64_t RowArguments::count(const std::string& name, std::int64_t other,
                                 std::int64_t least) const {
  const auto number = parse_number(word(name));
  const auto count = number ? whole_number(*number) : std::nullopt;
  return count && *count >= least && *count <= kLargestCount ? *count : other;
}

}  // namespace pippin
