// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_dump.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/megatron_kinds.h"
#include "harness/scrape/megatron_lines.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

constexpr std::string_view kRule = "----";

bool has_open_bracket(std::string_view text) {
  const auto count = [&](char c) { return std::count(text.begin(), text.end(), c); };
  return count('[') > count(']') || count('(') > count(')') || count('{') > count('}');
}

/// Whether what a torn line says of a value goes on with `rest`, which may as well be a line that
/// somebody printed in between.
bool goes_on(std::string_view value, std::string_view rest) {
  constexpr std::array<std::string_view, 3> kWords{"True", "False", "None"};
  const std::string joined = std::string(value) + std::string(trim(rest));
  if (std::find(kWords.begin(), kWords.end(), joined) != kWords.end()) return true;
  if (value.empty()) return !joined.empty();
  return has_open_bracket(value) || (parse_number(value) && parse_number(joined).has_value() &&
                                     trim(rest).find_first_of("-+") != 0);
}

}  // namespace

std::size_t begin_of_dump(std::string_view line) {
  const auto end = line.find(kMegatronTexts[kDumpBegins]);
  const auto before = end == 0 ? end : line.find_last_not_of('-', end - 1);
  const auto begin = before == std::string_view::npos ? 0 : before + 1;
  return begin < end && end != std::string_view::npos && is_prefix(line.substr(0, begin))
             ? begin
             : std::string_view::npos;
}

void MegatronDump::begin(std::string_view label) {
  label_ = label;
  last_.clear();
  place_.reset();
  gave_ = false;
  index_.reset();
  ascending_ = 0;
}

bool MegatronDump::read(std::string_view label, std::string_view text, const LoggerPrefix& prefix,
                        NamedValues& arguments) {
  // Nothing but srun itself prints without the labels of what it starts.
  const bool is_bare = label.size() < label_.size() && label_.starts_with(label);
  const bool is_torn_label =
      is_bare && std::string_view(label_).substr(label.size()).starts_with(text);
  const bool is_rest =
      is_bare && !is_torn_label && !text.starts_with("srun: ") && !text.starts_with("slurmstepd: ");
  auto argument = argument_in(text);
  const bool may_be_rest = (!text.starts_with(' ') || !argument) && label == label_ &&
                           !text.starts_with(kRule) && !trim(text).empty();
  if ((is_rest || may_be_rest) && !last_.empty() && read_rest(text, is_rest, prefix, arguments))
    return true;
  last_.assign(label).append(text);
  place_.reset();
  gave_ = argument.has_value();
  if (!argument || has(arguments, argument->first)) return gave_;
  add(arguments, *std::move(argument));
  return true;
}

/// Megatron sorts them: one behind all others is not among these.
bool MegatronDump::has(const NamedValues& arguments, const std::string& name) {
  if (arguments.empty()) return false;
  const bool is_behind = ascending_ == arguments.size() && arguments.back().first < name;
  return !is_behind && index_.has(arguments, name);
}

void MegatronDump::add(NamedValues& arguments, std::pair<std::string, Value> argument) {
  place_ = arguments.size();
  const bool is_behind = arguments.empty() || arguments.back().first < argument.first;
  if (is_behind && ascending_ == arguments.size()) ++ascending_;
  arguments.push_back(std::move(argument));
}

bool MegatronDump::read_rest(std::string_view text, bool is_rest, const LoggerPrefix& prefix,
                             NamedValues& arguments) {
  const auto read = [&](std::string_view line) {
    if (line.starts_with(label_)) line.remove_prefix(label_.size());
    return argument_in(prefix.strip(without_tags(line)));
  };
  const std::string joined = last_ + std::string(text);
  auto argument = read(joined);
  if (!argument || (!is_rest && argument->second.text.empty())) return false;
  const auto before = gave_ ? read(last_) : std::nullopt;
  if (before && before->first != argument->first) return false;
  if (before && !is_rest && !goes_on(before->second.text, text)) return false;
  last_ = joined;
  if (place_) {
    arguments[*place_] = *std::move(argument);  // of the same name
  } else if (!gave_ && !has(arguments, argument->first)) {
    add(arguments, *std::move(argument));
  }
  gave_ = true;
  return true;
}

}  // namespace pippin
