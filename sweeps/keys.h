// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/fields.h"

namespace pippin {

// The names that a sweep file gives meaning to. Every other name is an axis of the user's own.

template <typename Fields>
constexpr auto keys_in(const Fields& fields) {
  const auto end = std::find_if(fields.begin(), fields.end(), [](auto& f) { return !f.is_key; });
  return std::span(fields.begin(), end);
}
/// What a sweep may say of a layout.
inline constexpr auto kLayoutKeys = keys_in(kLayoutFields);
/// What a sweep may say of a model, beside its `size` and `style`.
inline constexpr auto kModelCounts = keys_in(kModelFields);

std::vector<std::string> model_count_names();
/// size, style and the counts.
std::vector<std::string> model_key_names();
std::vector<std::string> layout_key_names();

bool is_count_key(std::string_view name);  ///< of a layout or a model: a whole number above 0
bool is_model_key(std::string_view name);
/// Of a layout or a model: not an axis of the user's own.
bool is_known_key(std::string_view name);

/// What pippin works out for a point: a variable of expressions and placeholders, no axis.
std::vector<std::string> computed_names();
/// What a command and its environment know besides the point, at the time of the run.
std::vector<std::string> run_names();
/// Of these, what only bash knows: a command can use it, a value of `env` cannot.
std::vector<std::string> bash_names();
/// What only the environment knows, as $PIPPIN_NAME.
std::vector<std::string> environment_names();

/// Why an axis of the user's own, or a derived one, cannot have this name; empty where it can.
std::string why_reserved(std::string_view name);

}  // namespace pippin
