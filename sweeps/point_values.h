// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/records/point.h"

namespace pippin {

/// Where the values of a point's known names lie; the order of kLayoutKeys, kModelCounts, then
/// size, style and what is worked out. Own axes follow.
enum Slot : std::size_t {
  kTp,
  kPp,
  kDp,
  kCp,
  kMbs,
  kGas,
  kGpus,
  kLayers,
  kHidden,
  kHeads,
  kKvHeads,
  kFfn,
  kSeq,
  kVocab,
  kSize,
  kStyle,
  kGbs,
  kParams,
  kPaddedVocab,
  kNodes,
  kGpusPerNode,
  kFirstOwn
};

/// The names of all variables of a sweep's points, and the slot of each.
class Slots {
 public:
  explicit Slots(const std::vector<std::string>& own_names);
  std::optional<std::size_t> find(const std::string& name) const;
  std::size_t at(const std::string& name) const { return find(name).value(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// What is known of one point while it is worked out.
class PointValues {
 public:
  explicit PointValues(std::size_t size) : values_(size) {}

  /// What was set since it was equal to `base` is as there again. Requires a copy of `base`.
  void reset_to(const PointValues& base);

  bool knows(std::size_t slot) const { return values_[slot].has_value(); }
  void set(std::size_t slot, Value value) {
    values_[slot] = std::move(value);
    set_.push_back(slot);
  }
  void set_count(std::size_t slot, std::int64_t count);
  /// Null where it is not known.
  const Value* find(std::size_t slot) const;
  Count count(std::size_t slot) const;

  Model model() const;
  Layout layout() const;

 private:
  std::vector<std::optional<Value>> values_;
  std::vector<std::size_t> set_;  ///< slots, since the last reset
};

}  // namespace pippin
