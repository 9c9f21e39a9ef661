// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_lines.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <functional>
#include <iterator>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/megatron_fields.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

// Source: _print_args() of Megatron-LM: dots pad the name to 32 (until 2020) or 48 columns, and a
// longer name has none.
constexpr std::size_t kNameWithoutDots = 32;

/// "(MB)", or "(GB)" of Megatron-Bridge.
constexpr std::string_view kMemoryWords = "memory (", kMemoryEnd = "B) |";

/// Where "memory (MB) |" or "memory (GB) |" stands at or behind a place; npos: nowhere.
std::size_t memory_words(std::string_view text, std::size_t from) {
  for (auto at = text.find(kMemoryWords, from); at != std::string_view::npos;
       at = text.find(kMemoryWords, at + 1)) {
    if (text.substr(at + kMemoryWords.size() + 1).starts_with(kMemoryEnd)) return at;
  }
  return std::string_view::npos;
}

/// What stands before a record that was printed, not quoted: nothing, bracketed tags and times
/// (with a dash behind them in Argonne's fork), a host's label, other fields (GPT-NeoX begins with
/// samples/sec) or a record glued to it.
bool is_printed_after(std::string_view before) {
  if (is_prefix(before)) return true;
  before = trim(before);
  if (before.size() == 1 && is_letter(before[0])) return true;  // a key that a terminal echoed
  if (before.ends_with("] -")) before.remove_suffix(2);
  while (before.ends_with(']')) {
    const auto open = before.rfind('[');
    if (open == std::string_view::npos) return false;
    before = trim(before.substr(0, open));
  }
  if (before.empty()) return true;
  if (!is_word(before.front()) && before.front() != '[') return false;
  if (before.ends_with('|')) return true;
  const bool glued = before.find("(ms) |") != std::string_view::npos ||
                     before.find(" in billions: ") != std::string_view::npos ||
                     memory_words(before, 0) != std::string_view::npos;
  return glued || is_prefix(before);
}

/// The power of ten that the last digit of a number stands for: -1 of "12.5", -5 of "1.2345e-01".
int last_digit_of(std::string_view number) {
  constexpr std::int64_t kMost = 1'000'000;  // of 0 any may be written
  const auto exponent = number.find_first_of("eE");
  const auto point = number.find('.');
  auto power = exponent == std::string_view::npos
                   ? 0
                   : static_cast<int>(std::clamp(
                         parse_integer(number.substr(exponent + 1)).value_or(0), -kMost, kMost));
  if (point != std::string_view::npos)
    power -= static_cast<int>(std::min(exponent, number.size()) - point - 1);
  return power;
}

/// Y of Primus' "X/Y": this iteration's figure and the mean of those before. Source: AMD Primus,
/// backends/megatron/patches, 2025.
std::optional<double> running_mean_in(std::string_view value) {
  const auto slash = value.find('/');
  if (slash == std::string_view::npos || !parse_number(value.substr(0, slash))) return std::nullopt;
  return parse_number(value.substr(slash + 1));
}

/// A known field goes to its place; an unknown one, and one that is no finite number ("nan"), is
/// kept as it stands.
void take_field(IterationRecord& record, const MegatronField& field) {
  if (field.name.empty() || field.value.empty()) return;
  if (const auto mean = running_mean_in(field.value)) {
    take_field(record, {field.name, field.value.substr(0, field.value.find('/'))});
    record.iteration.other.emplace_back(std::string(field.name) + " running mean", value_of(*mean));
    return;
  }
  const auto number = parse_number(field.value);
  const std::size_t known = known_field(field.name);
  if (known < kKnownFields && number) {
    put_known_field(record, known, *number, last_digit_of(field.value));
  } else {
    record.iteration.other.emplace_back(std::string(field.name),
                                        Value{printable(field.value), number});
  }
  add_said(record.said, number ? std::bit_cast<std::uint64_t>(*number)
                               : std::hash<std::string_view>()(field.value));
}

void take_fields(IterationRecord& record, std::string_view text) {
  each_field(text, [&](const MegatronField& field) { take_field(record, field); });
}

/// The date in the bracket before a record.
std::optional<std::int64_t> time_before(std::string_view before) {
  const auto open = before.rfind('[');
  const bool is_bracket = open != std::string_view::npos && trim(before).ends_with(']');
  return is_bracket ? time_in(before.substr(open)) : std::nullopt;
}

bool is_time(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd dd:dd:dd";
  if (text.size() < kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == 'd' ? !is_digit(text[i]) : text[i] != kShape[i]) return false;
  }
  return true;
}

std::size_t begin_of_rank(std::string_view text) {
  const auto at = text.rfind("[Rank ");
  return at == std::string_view::npos ? 0 : at;
}

/// Bridge counts in 10^9 bytes.
constexpr double kMibPerGb = 1e9 / 1048576;

RankMemory memory_record(std::string_view before, std::string_view fields) {
  RankMemory memory;
  memory.rank = number_after(before.substr(begin_of_rank(before)), "[Rank ").value_or(0);
  for (const auto part : split(fields, '|')) {
    const MegatronField field = field_in(part);
    const auto number = parse_number(field.value);
    if (!number) continue;
    if (field.name == "allocated") memory.allocated_mib = number;
    if (field.name == "max allocated") memory.max_allocated_mib = number;
    // Torch called it so until 2019.
    if (field.name == "cached") memory.reserved_mib = number;
    if (field.name == "max cached") memory.max_reserved_mib = number;
    if (field.name == "reserved") memory.reserved_mib = number;
    if (field.name == "max reserved") memory.max_reserved_mib = number;
    const double mib = *number * kMibPerGb;
    if (field.name == "mem-allocated-gigabytes") memory.allocated_mib = mib;
    if (field.name == "mem-max-allocated-gigabytes") memory.max_allocated_mib = mib;
    if (field.name == "mem-reserved-gigabytes") memory.reserved_mib = mib;
    if (field.name == "mem-max-reserved-gigabytes") memory.max_reserved_mib = mib;
  }
  return memory;
}

/// "PREFIX  name ..... rest" without the prefix; the whole where it has none, or no dots.
std::string_view without_prefix_of_dots(std::string_view line) {
  const auto dots = line.find(" ..");
  const auto name = trim(line.substr(0, dots));
  if (dots == std::string_view::npos) return line;
  const auto blank = name.find_last_of(" \t");
  if (blank == std::string_view::npos) return line;
  const auto begin = static_cast<std::size_t>(name.data() - line.data()) + blank;
  return is_prefix(line.substr(0, begin)) ? line.substr(begin) : line;
}

/// The same of "PREFIX  a_name_of_more_than_31_characters  value".
std::string_view without_prefix_of_long_name(std::string_view line) {
  for (std::size_t begin = line.find(' '); begin < line.size(); begin = line.find(' ', begin + 1)) {
    const auto name = line.substr(begin + 1, line.find(' ', begin + 1) - begin - 1);
    const bool is_name = name.size() >= kNameWithoutDots &&
                         std::all_of(name.begin(), name.end(), is_word) && !is_digit(name[0]);
    if (is_name) return is_prefix(line.substr(0, begin)) ? line.substr(begin) : line;
  }
  return line;
}

/// GPT-NeoX adds a column that says where a value comes from: "1......................default".
std::string_view without_origin(std::string_view value) {
  for (const std::string_view origin : {"default", "updated"}) {
    if (!value.ends_with(origin)) continue;
    const auto rest = value.substr(0, value.size() - origin.size());
    const auto end = rest.find_last_not_of('.');
    if (end != std::string_view::npos && end + 3 < rest.size()) return rest.substr(0, end + 1);
  }
  return value;
}

/// "name ....: (min, max)".
NamedValues timer_range(std::string_view labelled) {
  const std::string_view line = trim(without_prefix_of_dots(labelled));
  const auto name = line.substr(0, line.find(' '));
  const auto open = line.rfind(": ("), comma = line.rfind(", ");
  if (name.size() == line.size() || open == std::string_view::npos || !line.ends_with(')'))
    return {};
  if (comma == std::string_view::npos || comma < open) return {};
  const auto least = parse_number(line.substr(open + 3, comma - open - 3));
  const auto most = parse_number(line.substr(comma + 2, line.size() - comma - 3));
  if (!least || !most) return {};
  return {{std::string(name) + " min", value_of(*least)},
          {std::string(name) + " max", value_of(*most)}};
}

}  // namespace

std::vector<IterationRecord> iterations_in(std::string_view line) {
  std::vector<IterationRecord> records;
  auto start = next_start(line, 0);
  if (!start || !is_printed_after(line.substr(0, start->begin))) return records;
  for (std::size_t from = 0; start;) {
    const auto next = next_start(line, start->fields);
    IterationRecord record;
    const auto before = line.substr(from, start->begin - from);
    const auto end = next ? next->begin : line.size();
    record.at = time_before(before);
    record.iteration.number = start->number;
    record.last = start->last;
    add_said(record.said, static_cast<std::uint64_t>(record.last));
    if (from == 0 && trim(before).ends_with('|')) take_fields(record, before);
    take_fields(record, line.substr(start->fields, end - start->fields));
    if (record.iteration.skipped.value_or(0) > 0) record.iteration.flags |= kSkippedStep;
    if (is_step_time(record.iteration.step_time_ms)) records.push_back(std::move(record));
    from = start->fields;
    start = next;
  }
  return records;
}

std::string_view why_no_iteration(std::string_view line) {
  const auto start = next_start(line, 0);
  if (!start) return {};
  if (!is_printed_after(line.substr(0, start->begin)))
    return "its iteration stands behind words that no logger writes, as in a quotation";
  return "its iteration has no time that a step can take";
}

std::optional<std::int64_t> iteration_time_in(std::string_view line) {
  const auto start = next_start(line, 0);
  return start ? time_before(line.substr(0, start->begin)) : std::nullopt;
}

std::vector<RankMemory> memory_in(std::string_view line) {
  std::vector<RankMemory> records;
  std::size_t from = 0;
  for (auto at = memory_words(line, 0); at != std::string_view::npos;) {
    const auto fields = at + kMemoryWords.size() + 1 + kMemoryEnd.size();
    const auto next = memory_words(line, fields);
    records.push_back(
        memory_record(line.substr(from, at - from), line.substr(fields, next - fields)));
    from = fields;
    at = next;
  }
  return records;
}

NamedValues timers_in(std::string_view line) {
  const auto words = line.find(kTimerWords);
  if (words == std::string_view::npos) return timer_range(trim(line));
  if (!is_prefix(line.substr(0, words))) return {};
  line.remove_prefix(words);
  NamedValues timers;
  for (const auto part : split(line.substr(kTimerWords.size()), '|')) {
    const MegatronField field = field_in(part);
    const auto number = parse_number(field.value);
    if (number) timers.emplace_back(std::string(field.name), value_of(*number));
  }
  return timers;
}

std::optional<std::pair<std::string, Value>> argument_in(std::string_view line) {
  if (!line.starts_with(' ')) line = without_prefix_of_dots(line);
  if (!line.starts_with(' ')) line = without_prefix_of_long_name(line);
  if (!line.starts_with(' ')) return std::nullopt;
  const auto text = trim(line);
  const auto name_end = std::find_if_not(text.begin(), text.end(), is_word);
  const auto name = text.substr(0, static_cast<std::size_t>(name_end - text.begin()));
  auto rest = text.substr(name.size());
  if (name.empty() || is_digit(name[0]) || !rest.starts_with(' ')) return std::nullopt;
  rest = left_trim(rest);
  const auto dots = std::min(rest.find_first_not_of('.'), rest.size());
  if (dots == 0 && name.size() < kNameWithoutDots) return std::nullopt;
  const auto value = without_origin(left_trim(rest.substr(dots)));
  return std::pair(std::string(name), value_of(printable(value)));
}

std::optional<std::int64_t> time_in(std::string_view text) {
  namespace chrono = std::chrono;
  for (std::size_t at = text.find('-'); at != std::string_view::npos; at = text.find('-', at + 1)) {
    if (at < 4 || !is_time(text.substr(at - 4))) continue;
    const auto part = [&](std::size_t begin, std::size_t length) {
      return static_cast<int>(*parse_integer(text.substr(at - 4 + begin, length)));
    };
    const chrono::year_month_day day{chrono::year(part(0, 4)),
                                     chrono::month(static_cast<unsigned>(part(5, 2))),
                                     chrono::day(static_cast<unsigned>(part(8, 2)))};
    if (!day.ok()) continue;
    const auto time =
        chrono::hours(part(11, 2)) + chrono::minutes(part(14, 2)) + chrono::seconds(part(17, 2));
    return chrono::duration_cast<chrono::seconds>((chrono::sys_days(day) + time).time_since_epoch())
        .count();
  }
  return std::nullopt;
}

Count number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  auto rest = text.substr(at + key.size());
  return take_number(rest);
}

}  // namespace pippin
