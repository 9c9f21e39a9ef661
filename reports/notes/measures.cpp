// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/measures.h"

#include <cmath>

#include "core/base/text.h"
#include "reports/notes/written.h"

namespace pippin {

SpreadParts at_spread(std::string_view text) {
  for (const std::string_view sign : {"$\\pm$", "\\pm", "±", "+/-", "+-"}) {
    const auto at = text.find(sign);
    if (at == std::string_view::npos) continue;
    return {trim(text.substr(0, at)), trim(text.substr(at + sign.size()))};
  }
  return {text, std::nullopt};
}

std::string_view without_about(std::string_view text) {
  for (const std::string_view sign : {"~", "≈", "about ", "ca. "}) {
    if (text.starts_with(sign)) return trim(text.substr(sign.size()));
  }
  return text;
}

std::optional<double> reach_of(std::string_view text, double value, double unit) {
  const auto written = written_in(text);
  if (!written) return std::nullopt;
  constexpr double kPercent = 100;
  const double number = parse_number(written->number).value_or(-1);
  const double reach = written->unit == "%" ? number / kPercent * value : number * unit;
  return number >= 0 && std::isfinite(reach) ? std::optional(reach) : std::nullopt;
}

}  // namespace pippin
