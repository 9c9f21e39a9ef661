// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/records/value.h"
#include "db/sqlite.h"

namespace pippin::db {

/// Axes as numbers: the arguments of thousands of logs are mostly the same few dozen.
class AxisValues {
 public:
  using Ids = std::vector<std::int64_t>;

  explicit AxisValues(Connection& connection);

  /// "3 1 7": the numbers of axes in their order; values that are new get one.
  std::string text_of(const NamedValues& axes);
  /// Of a text made by the above; in what else stands there is an id that is not stored.
  static Ids ids_in(std::string_view text);
  /// Null for an id that is not stored.
  const std::pair<std::string, Value>* axis(std::int64_t id) const {
    const auto found = axes_.find(id);
    return found == axes_.end() ? nullptr : &found->second;
  }

 private:
  std::int64_t id_of(const std::string& name, const Value& value);

  Connection& connection_;
  std::unordered_map<std::int64_t, std::pair<std::string, Value>> axes_;
  std::map<std::pair<std::string, std::string>, std::int64_t> ids_;  ///< by name and text
};

}  // namespace pippin::db
