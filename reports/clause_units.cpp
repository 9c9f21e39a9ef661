// SPDX-License-Identifier: Apache-2.0
#include "reports/clause_units.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/values.h"

namespace pippin {

namespace {

struct Unit {
  std::string_view name;
  double factor;
  char dimension;
};
constexpr std::array<Unit, 9> kUnits{{{"us", 1e-6, 't'},
                                      {"ms", 1e-3, 't'},
                                      {"s", 1, 't'},
                                      {"min", 60, 't'},
                                      {"h", 3600, 't'},
                                      {"MiB", 1.0 / 1024, 'm'},
                                      {"GiB", 1, 'm'},
                                      {"TiB", 1024, 'm'},
                                      {"%", 1e-2, '%'}}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Where a number ends that begins at `at`; `at` where none does.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  const auto digits = [&](std::size_t from) {
    while (from < text.size() && text[from] >= '0' && text[from] <= '9') ++from;
    return from;
  };
  std::size_t end = digits(at);
  if (end == at) return at;
  if (end < text.size() && text[end] == '.') end = digits(end + 1);
  if (end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const bool is_signed = text[end + 1] == '-' || text[end + 1] == '+';
    const std::size_t exponent = end + (is_signed ? 2 : 1);
    if (digits(exponent) > exponent) end = digits(exponent);
  }
  return end;
}

/// A remainder has something to divide by behind it.
bool has_operand(std::string_view rest) {
  rest = trim(rest);
  constexpr std::string_view kBegins = "('\"!.";
  return !rest.empty() && (is_word(rest.front()) || kBegins.find(rest.front()) != rest.npos);
}

/// The unit at the front of `rest`, and how long it is with the blank before it.
const Unit* unit_at(std::string_view rest, std::size_t& length) {
  const std::size_t blanks = std::min(rest.find_first_not_of(' '), rest.size());
  const std::string_view text = rest.substr(blanks);
  for (const auto& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    if (blanks > 0 && unit.dimension != 'm') continue;
    const std::string_view behind = text.substr(unit.name.size());
    const bool ends =
        unit.dimension == '%' ? !has_operand(behind) : behind.empty() || !is_word(behind.front());
    if (!ends) continue;
    length = blanks + unit.name.size();
    return &unit;
  }
  return nullptr;
}

}  // namespace

BareClause without_units(std::string_view clause) {
  BareClause bare;
  char quote = '\0';
  for (std::size_t at = 0; at < clause.size();) {
    const char c = clause[at];
    if (c == quote || (quote == '\0' && (c == '\'' || c == '"'))) quote = quote ? '\0' : c;
    const bool may_begin =
        quote == '\0' && (at == 0 || (!is_word(clause[at - 1]) && clause[at - 1] != '.'));
    const std::size_t end = may_begin ? end_of_number(clause, at) : at;
    std::size_t length = 0;
    const Unit* unit = end > at ? unit_at(clause.substr(end), length) : nullptr;
    const auto number = unit ? parse_number(clause.substr(at, end - at)) : std::nullopt;
    if (number) {
      bare.text += exact_number(*number * unit->factor);
      bare.amounts.emplace_back(clause.substr(at, end - at + length));
      bare.dimensions.push_back(unit->dimension);
      at = end + length;
    } else {
      const std::size_t next = std::max(end, at + 1);
      bare.text += clause.substr(at, next - at);
      at = next;
    }
  }
  return bare;
}

char dimension_of(std::string_view field) {
  if (field.ends_with("_per_s") || field.find("_per_s_") != std::string_view::npos) return 0;
  if (field.ends_with("_s")) return 't';
  if (field.ends_with("_gib")) return 'm';
  constexpr std::array<std::string_view, 6> kShares{"spread", "spread_low", "spread_high",
                                                    "mfu",    "hfu",        "p_best"};
  return std::find(kShares.begin(), kShares.end(), field) == kShares.end() ? '\0' : '%';
}

}  // namespace pippin
