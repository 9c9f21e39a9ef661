// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sweeps/estimate/point_rows.h"

namespace pippin {

/// Megatron's arguments among a row's notes, by their names as typed, "num-experts". Those that are
/// false or null are none.
class RowArguments {
 public:
  /// Empty where the notes are words, nothing where they begin like arguments and cannot be read.
  static std::optional<RowArguments> in_notes(const PointRow& row);

  bool has(const std::string& name) const { return texts_.contains(name); }
  /// As one types it, 64.0 is 64, ["p2p"] p2p; empty where there is none.
  std::string word(const std::string& name) const;
  /// `other` where it is no number.
  double number(const std::string& name, double other) const;
  /// `other` where it is no count, or less than `least`.
  std::int64_t count(const std::string& name, std::int64_t other, std::int64_t least = 1) const;

  /// Each name with its text; True of a flag.
  const std::map<std::string, std::string>& all() const { return texts_; }

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace pippin
