// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/cut_iterations.h"

#include <array>
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/megatron_fields.h"

namespace pippin {

namespace {

/// "name: value" and nothing behind the value.
bool is_field_alone(std::string_view text) {
  const MegatronField field = field_in(text);
  return !field.name.empty() && !field.value.empty() && trim(text).ends_with(field.value);
}

std::array<bool, kKnownFields + 1> known_fields_of(std::string_view line) {
  std::array<bool, kKnownFields + 1> known{};
  each_field(line, [&](const MegatronField& field) { known.at(known_field(field.name)) = true; });
  return known;
}

/// What stands between two halves of a field that was cut: a blank where that makes a field of
/// them that is known.
std::string_view glue_between(std::string_view half, std::string_view rest) {
  const bool in_word =
      !half.empty() && !rest.empty() && is_letter(half.back()) && is_letter(rest.front());
  if (!in_word) return "";
  const auto is_known = [&](std::string_view glue) {
    const std::string field = std::string(half) + std::string(glue) + std::string(rest);
    return known_field(field_in(field).name) < kKnownFields;
  };
  return is_known("") ? "" : " ";
}

}  // namespace

bool has_last_field(std::string_view line) {
  const auto has = [&](std::string_view text) { return line.find(text) != std::string_view::npos; };
  return has("number of nan iterations:") || has("number_of_nan_iterations=");
}

void CutIteration::begin(std::string_view line) {
  text_ = line;
  is_open_ = true;
  went_on_ = false;
}

bool CutIteration::take(std::string_view next) {
  next = trim(next);
  const auto first_bar = next.find('|');
  if (first_bar == std::string_view::npos || next_start(next, 0)) return false;
  const std::string_view begun = text_;
  const auto last_bar = begun.rfind('|');
  if (last_bar == std::string_view::npos) return false;
  const auto half = trim(begun.substr(last_bar + 1)), rest = next.substr(0, first_bar);
  const std::string_view glue = half.empty() ? " " : glue_between(half, rest);
  const std::string joined = std::string(half) + std::string(glue) + std::string(rest);
  if (!is_field_alone(joined)) return false;
  const auto before = known_fields_of(begun.substr(0, last_bar));
  bool is_rest = true;
  const auto whole = next.substr(first_bar + 1, next.rfind('|') - first_bar);
  each_field(joined + " |" + std::string(whole), [&](const MegatronField& field) {
    const std::size_t known = known_field(field.name);
    is_rest = is_rest && !(known < kKnownFields && before.at(known));
  });
  if (!is_rest) return false;
  text_.resize(text_.find_last_not_of(" \t") + 1);
  text_ += glue;
  text_ += next;
  went_on_ = true;
  return true;
}

std::string CutIteration::end() {
  is_open_ = false;
  return std::exchange(text_, {});
}

}  // namespace pippin
