// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/quantities.h"

#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/base/whole_number.h"
#include "reports/notes/times.h"
#include "reports/notes/written.h"

namespace pippin {

namespace {

constexpr int kToThousand = 3, kToMillion = 6, kToBillion = 9, kToTrillion = 12;
constexpr std::array<Unit, 9> kSizes{{{"b", kToBillion},
                                      {"bn", kToBillion},
                                      {"billion", kToBillion},
                                      {"billions", kToBillion},
                                      {"m", kToMillion},
                                      {"million", kToMillion},
                                      {"millions", kToMillion},
                                      {"k", kToThousand},
                                      {"t", kToTrillion}}};

constexpr std::array<Unit, 8> kMemories{{{"gib", 0, kMibPerGib},
                                         {"gb", 0, kMibPerGib},
                                         {"g", 0, kMibPerGib},
                                         {"mib", 0},
                                         {"mb", 0},
                                         {"m", 0},
                                         {"tib", 0, kMibPerGib* kMibPerGib},
                                         {"tb", 0, kMibPerGib* kMibPerGib}}};

/// The first of `units` where nothing names one.
std::optional<double> quantity_in(std::span<const Unit> units, std::string_view cell,
                                  std::string_view title) {
  const auto written = written_in(plain_text(cell));
  if (!written) return std::nullopt;
  const Unit* unit = &units.front();
  if (!written->unit.empty()) {
    unit = find_unit(units, written->unit);
  } else if (const Unit* of_title = unit_in_title(units, title)) {
    unit = of_title;
  }
  if (!unit) return std::nullopt;
  const double value = shifted(written->number, unit->exponent) * unit->factor;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string_view plain_text(std::string_view cell) {
  constexpr std::string_view kEmphasis = "*_` \t";
  const auto first = cell.find_first_not_of(kEmphasis);
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(kEmphasis) - first + 1);
}

std::optional<double> number_in(std::string_view cell) {
  const auto written = written_in(plain_text(cell));
  return written && written->unit.empty() ? parse_number(written->number) : std::nullopt;
}

Count count_in(std::string_view cell) {
  const auto number = number_in(cell);
  return number ? whole_number(*number) : std::nullopt;
}

std::optional<double> milliseconds_in(std::string_view cell, std::string_view title) {
  const auto time = time_in(cell, title);
  return time ? std::optional(time->value) : std::nullopt;
}

std::optional<double> parameters_in(std::string_view cell, std::string_view title) {
  return quantity_in(kSizes, cell, title);
}

std::optional<double> mebibytes_in(std::string_view cell, std::string_view title) {
  return quantity_in(kMemories, cell, title);
}

}  // namespace pippin
