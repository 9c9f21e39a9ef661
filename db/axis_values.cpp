// SPDX-License-Identifier: Apache-2.0
#include "db/axis_values.h"

#include <charconv>

namespace pippin::db {

AxisValues::AxisValues(Connection& connection) : connection_(connection) {
  Statement rows = connection.prepare("SELECT id, name, text, number FROM axis_values");
  while (rows.step()) {
    const std::int64_t id = rows.integer(0);
    std::pair<std::string, Value> axis{rows.text(1), {rows.text(2), rows.maybe_real(3)}};
    ids_.emplace(std::pair(axis.first, axis.second.text), id);
    axes_.emplace(id, std::move(axis));
  }
}

std::string AxisValues::text_of(const NamedValues& axes) {
  std::string text;
  for (const auto& [name, value] : axes) {
    if (!text.empty()) text += ' ';
    text += std::to_string(id_of(name, value));
  }
  return text;
}

std::int64_t AxisValues::id_of(const std::string& name, const Value& value) {
  const auto known = ids_.find({name, value.text});
  if (known != ids_.end()) return known->second;
  connection_.prepare("INSERT INTO axis_values (name, text, number) VALUES (?, ?, ?)")
      .run(name, value.text, value.number);
  const std::int64_t id = connection_.last_id();
  ids_.emplace(std::pair(name, value.text), id);
  axes_.emplace(id, std::pair(name, value));
  return id;
}

AxisValues::Ids AxisValues::ids_in(std::string_view text) {
  Ids ids;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t id = -1;
    at = std::from_chars(at, end, id).ptr + 1;  // and the blank behind it
    ids.push_back(id);
  }
  return ids;
}

}  // namespace pippin::db
