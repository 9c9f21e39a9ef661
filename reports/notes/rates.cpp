// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "reports/notes/quantities.h"
#include "reports/notes/written.h"

namespace pippin {

namespace {

constexpr double kThousand = 1e3, kMillion = 1e6;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// In lower case, " per " as "/", without blanks.
std::string condensed(std::string_view text) {
  std::string result;
  for (const auto word : split(trim(text), ' ')) {
    const std::string small = lower(word);
    result.append(small == "per" ? "/" : small);
  }
  return result;
}

/// "samples", "ktokens": what is counted.
std::optional<RateUnit> counted_by(std::string_view word) {
  const auto of = [&](std::string_view name) -> std::optional<RateUnit::Of> {
    if (is_one_of(name, {"samples", "sample", "seq", "seqs", "sequence", "sequences"}))
      return RateUnit::Of::kSamples;
    if (is_one_of(name, {"tokens", "token", "tok", "toks"})) return RateUnit::Of::kTokens;
    return std::nullopt;
  };
  if (const auto plain = of(word)) return RateUnit{*plain};
  if (word.empty() || (word[0] != 'k' && word[0] != 'm')) return std::nullopt;
  const auto prefixed = of(word.substr(1));
  if (!prefixed) return std::nullopt;
  return RateUnit{*prefixed, false, word[0] == 'k' ? kThousand : kMillion};
}

/// "Throughput" and "speed" before a unit add nothing to it.
std::string_view without_lead(std::string_view title) {
  for (const std::string_view word : {"training", "throughput", "speed"}) {
    if (title.starts_with(word)) title = trim(title.substr(word.size()));
  }
  while (!title.empty() && std::string_view(",:-").find(title[0]) != std::string_view::npos)
    title = trim(title.substr(1));
  return title;
}

/// "3.1k tok/s" is 3100 of them.
double take_thousands(std::string& unit) {
  if (unit.empty() || (unit[0] != 'k' && unit[0] != 'm')) return 1;
  const bool alone = unit.size() == 1 || unit[1] == ' ';
  if (!alone) return 1;
  const double factor = unit[0] == 'k' ? kThousand : kMillion;
  unit.erase(0, unit.find_first_not_of(' ', 1));
  return factor;
}

}  // namespace

std::optional<RateUnit> rate_unit_in(std::string_view text) {
  const std::string whole = condensed(text);
  if (whole == "tgs") return RateUnit{RateUnit::Of::kTokens, true};
  const auto parts = split(whole, '/');
  auto unit = counted_by(parts.front());
  if (!unit || parts.size() < 2 || parts.size() > 3) return std::nullopt;
  bool second = false;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const bool is_second = is_one_of(parts[i], {"s", "sec", "second"});
    const bool is_gpu = is_one_of(parts[i], {"gpu", "device"});
    if ((!is_second && !is_gpu) || (is_second && second) || (is_gpu && unit->per_gpu))
      return std::nullopt;
    second = second || is_second;
    unit->per_gpu = unit->per_gpu || is_gpu;
  }
  return second ? unit : std::nullopt;
}

std::optional<RateUnit> rate_unit_of_title(std::string_view title) {
  const std::string text = lower(plain_text(title));
  if (const auto unit = rate_unit_in(without_lead(text))) return unit;
  const auto inside = bracketed(text);
  const std::string_view rest = without_lead(text);
  const bool only_unit = rest.starts_with('(') || rest.starts_with('[');
  return inside && only_unit ? rate_unit_in(*inside) : std::nullopt;
}

bool is_bare_throughput(std::string_view title) {
  return is_one_of(lower(plain_text(title)), {"throughput", "training throughput"});
}

std::optional<NotedRate> rate_in(std::string_view cell, const std::optional<RateUnit>& of_title) {
  const auto [value, spread] = at_spread(without_about(plain_text(cell)));
  auto written = written_in(value);
  if (!written) return std::nullopt;
  const double thousands = take_thousands(written->unit);
  auto behind = spread ? written_in(*spread) : std::nullopt;
  if (behind && behind->unit != "%" && take_thousands(behind->unit) != thousands)
    return std::nullopt;
  const bool unit_last = written->unit.empty() && behind && behind->unit != "%";
  const std::string& name = unit_last ? behind->unit : written->unit;
  const auto unit = name.empty() ? of_title : rate_unit_in(name);
  if (!unit) return std::nullopt;
  const double one = thousands * unit->factor;
  NotedRate rate{{parse_number(written->number).value_or(0) * one, written->step() * one}, *unit};
  if (!std::isfinite(rate.measure.value)) return std::nullopt;
  if (!spread) return rate;
  rate.measure.spread = reach_of(*spread, rate.measure.value, one);
  return rate.measure.spread ? std::optional(rate) : std::nullopt;
}

}  // namespace pippin
