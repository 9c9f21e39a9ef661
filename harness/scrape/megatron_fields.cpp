// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_fields.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/line_shape.h"
#include "harness/scrape/lines.h"

namespace pippin {

namespace {

constexpr std::string_view kIterationWord = "iteration";
constexpr std::size_t kLongestName = 60;

std::int64_t rounded(double number) {
  // Beyond this a double holds no whole numbers' neighbours, and a cast may overflow.
  constexpr double kLargest = 9007199254740992.0;
  return static_cast<std::int64_t>(std::clamp(number, -kLargest, kLargest));
}

/// Where a field of an iteration line goes.
struct Known {
  std::string_view name;
  void (*set)(Iteration&, double);
};

// Source: training_log() of Megatron-LM 2020-2024 and of BigScience's and Argonne's
// Megatron-DeepSpeed, the last of which has '_' for blanks.
constexpr std::array<Known, kKnownFields> kKnown{{
    {"elapsed time per iteration (ms)", [](Iteration& i, double x) { i.step_time_ms = x; }},
    {"elapsed time per iteration ms", [](Iteration& i, double x) { i.step_time_ms = x; }},
    {"elapsed time per iteration (s)",
     [](Iteration& i, double x) { i.step_time_ms = x * kMsPerSecond; }},
    {"consumed samples", [](Iteration& i, double x) { i.consumed_samples = rounded(x); }},
    {"global batch size", [](Iteration& i, double x) { i.gbs = rounded(x); }},
    {"gloabl batch size", [](Iteration& i, double x) { i.gbs = rounded(x); }},  // AscendSpeed
    {"learning rate", [](Iteration& i, double x) { i.learning_rate = x; }},
    {"lm loss", [](Iteration& i, double x) { i.lm_loss = x; }},
    {"lm-loss", [](Iteration& i, double x) { i.lm_loss = x; }},
    {"loss scale", [](Iteration& i, double x) { i.loss_scale = x; }},
    {"grad norm", [](Iteration& i, double x) { i.grad_norm = x; }},
    {"number of skipped iterations", [](Iteration& i, double x) { i.skipped = rounded(x); }},
    {"number of nan iterations", [](Iteration& i, double x) { i.nan = rounded(x); }},
}};

}  // namespace

Count take_number(std::string_view& text) {
  text = left_trim(text);
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return parse_integer(digits);
}

namespace {

/// The first character of a kind; the text's size where there is none. A search by a list of them
/// costs a call for each character.
template <typename IsOfKind>
std::size_t first_where(std::string_view text, IsOfKind is_of_kind) {
  return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_of_kind) -
                                  text.begin());
}

/// "lm loss 5.023855E+00", as Megatron-LM printed until the summer of 2020.
MegatronField field_without_sign(std::string_view text) {
  const auto blank = text.find_last_of(' ');
  if (blank == std::string_view::npos) return {};
  const auto name = trim(text.substr(0, blank)), value = text.substr(blank + 1);
  const bool is_known = known_field(name) < kKnownFields || name.ends_with(" loss");
  return is_known && parse_number(value) ? MegatronField{name, value} : MegatronField{};
}

}  // namespace

MegatronField field_in(std::string_view text) {
  text = trim(without_tags(trim(text)));
  const auto sign = first_where(text, [](char c) { return c == ':' || c == '='; });
  if (sign == text.size()) return field_without_sign(text);
  if (sign == 0 || sign > kLongestName) return {};
  if (!is_letter(text[0]) && text[0] != '[') return {};
  const auto value = left_trim(without_tags(left_trim(text.substr(sign + 1))));
  const auto end = first_where(value, [](char c) { return c == ' ' || c == '\t' || c == '['; });
  return {trim(text.substr(0, sign)), value.substr(0, end)};
}

std::size_t known_field(std::string_view name_in_line) {
  std::string name(name_in_line);
  std::replace(name.begin(), name.end(), '_', ' ');
  const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const Known& entry) { return entry.name == name; });
  return static_cast<std::size_t>(known - kKnown.begin());
}

void put_known_field(IterationRecord& record, std::size_t field, double number, int last_digit) {
  const double time_before = record.iteration.step_time_ms;
  kKnown.at(field).set(record.iteration, number);
  if (record.iteration.step_time_ms != time_before)
    record.resolution_ms = power_of_ten(last_digit) * (record.iteration.step_time_ms / number);
}

std::optional<IterationStart> next_start(std::string_view line, std::size_t from) {
  for (auto at = line.find(kIterationWord, from); at != std::string_view::npos;
       at = line.find(kIterationWord, at + 1)) {
    if (at > 0 && is_word(line[at - 1])) continue;
    auto rest = line.substr(at + kIterationWord.size());
    if (rest.starts_with('=')) rest.remove_prefix(1);
    rest = left_trim(without_tags(left_trim(rest)));
    const auto of_number = left_trim(rest);
    const auto number = take_number(rest);
    const auto behind_number = rest;
    rest = left_trim(rest);
    if (!number || !rest.starts_with('/')) continue;
    rest.remove_prefix(1);
    const auto of_last = left_trim(rest);
    const auto last = take_number(rest);
    if (last && left_trim(rest).starts_with('|'))
      return IterationStart{at,
                            line.size() - rest.size(),
                            *number,
                            *last,
                            {of_number.substr(0, of_number.size() - behind_number.size()),
                             of_last.substr(0, of_last.size() - rest.size())}};
  }
  return std::nullopt;
}

}  // namespace pippin
