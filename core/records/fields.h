// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/records/point.h"

namespace pippin {

/// A count of a model or a layout, under the one name that sweep files, commands, expressions,
/// manifests, the database and reports have for it.
template <typename Owner>
struct CountField {
  std::string_view name;
  Count Owner::*count;
  bool is_key = true;       ///< a sweep may say it; else it follows from the keys
  bool is_identity = true;  ///< one of named_values(), and part of a point's id
};

/// Keys first.
inline constexpr std::array<CountField<Model>, 12> kModelFields{{
    {"layers", &Model::layers},
    {"hidden", &Model::hidden},
    {"heads", &Model::heads},
    {"kv_heads", &Model::kv_heads},
    {"ffn", &Model::ffn},
    {"seq", &Model::seq},
    {"vocab", &Model::vocab},
    {"padded_vocab", &Model::padded_vocab, false},
    {"params", &Model::params, false, false},
    {"active_params", &Model::active_params, false, false},
    {"token_weights", &Model::token_weights, false, false},
    {"attention_widths", &Model::attention_widths, false, false},
}};

/// Keys first.
inline constexpr std::array<CountField<Layout>, 8> kLayoutFields{{
    {"tp", &Layout::tp},
    {"pp", &Layout::pp},
    {"dp", &Layout::dp},
    {"cp", &Layout::cp},
    {"mbs", &Layout::mbs},
    {"gas", &Layout::gas},
    {"gpus", &Layout::gpus},
    {"gbs", &Layout::gbs, false},
}};

/// Calls `use(name, count)` for every field of a point, in the order of the tables; of a point
/// that is not const the counts can be set.
template <typename AnyPoint, typename Use>
void for_each_count(AnyPoint&& point, Use use) {
  for (const auto& field : kModelFields) use(field.name, point.model.*field.count);
  for (const auto& field : kLayoutFields) use(field.name, point.layout.*field.count);
}

/// Whether a number can be a count at all: what is read of a file that anybody may have written is
/// believed no further, so that what is computed of it stays a number.
inline bool is_possible(std::string_view name, std::int64_t count) {
  constexpr std::int64_t kMost = 1'000'000'000, kMostSum = 1'000'000'000'000'000;
  // What follows from a shape is a sum over all of it.
  const bool is_sum = std::any_of(kModelFields.begin(), kModelFields.end(), [&](const auto& field) {
    return field.name == name && !field.is_identity;
  });
  return count >= 1 && count <= (is_sum ? kMostSum : kMost);
}

/// Leaves none that cannot be.
inline void forget_impossible_counts(Point& point) {
  for_each_count(point, [](std::string_view name, Count& count) {
    if (count && !is_possible(name, *count)) count.reset();
  });
}

/// The count of that name; nothing where no field has it.
inline std::optional<Count> find_count(const Point& point, std::string_view wanted) {
  std::optional<Count> found;
  for_each_count(point, [&](std::string_view name, const Count& count) {
    if (name == wanted) found = count;
  });
  return found;
}

}  // namespace pippin
