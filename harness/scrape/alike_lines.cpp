// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/alike_lines.h"

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "harness/scrape/megatron_fields.h"

namespace pippin {

void AlikeIterations::learn(std::string_view line) {
  const auto start = next_start(line, 0);
  if (!start) return;
  learnt_ = (learnt_ + 1) % kShapes;
  Shape& shape = shapes_.at(learnt_);
  shape = {};
  std::vector<std::string_view> values;
  std::size_t first_word = start->begin;  // a time may stand before it
  const auto take = [&](const MegatronField& field) {
    if (field.name.empty() || field.value.empty()) return;
    first_word = std::min(first_word, static_cast<std::size_t>(field.name.data() - line.data()));
    values.push_back(field.value);
    const std::size_t known = known_field(field.name);
    shape.known.push_back(known);
    if (known == kKnownFields) shape.names.emplace_back(field.name);
  };
  const auto before = line.substr(0, start->begin);
  if (trim(before).ends_with('|')) each_field(before, take);
  shape.number = values.size();
  values.insert(values.end(), std::begin(start->digits), std::end(start->digits));
  each_field(line.substr(start->fields), take);
  shape.line.learn(line, values, first_word);
}

IterationRecord* AlikeIterations::take() {
  const Shape& shape = shapes_.at(read_);
  record_.iteration = {};
  record_.resolution_ms = 0;
  record_.said = 0;
  others_.clear();
  const auto& number = numbers_[shape.number];
  const auto& last = numbers_[shape.number + 1];
  if (!number.bare || !last.bare) return nullptr;
  // Whole ones of so few digits are exact.
  record_.iteration.number = static_cast<std::int64_t>(number.value);
  record_.last = static_cast<std::int64_t>(last.value);
  add_said(record_.said, static_cast<std::uint64_t>(record_.last));
  for (std::size_t i = 0; i < shape.known.size(); ++i) {
    const WrittenNumber& field = numbers_[i < shape.number ? i : i + 2];
    if (shape.known[i] < kKnownFields) {
      put_known_field(record_, shape.known[i], field.value, field.last_digit);
    } else {
      others_.push_back(field.value);
    }
    add_said(record_.said, std::bit_cast<std::uint64_t>(field.value));
  }
  if (record_.iteration.skipped.value_or(0) > 0) record_.iteration.flags |= kSkippedStep;
  return is_step_time(record_.iteration.step_time_ms) ? &record_ : nullptr;
}

std::size_t AlikeIterations::read_front(std::string_view text) {
  for (std::size_t i = 0; i < kShapes; ++i) {
    const std::size_t shape = (read_ + i) % kShapes;
    const std::size_t length = shapes_.at(shape).line.read_front(text, numbers_);
    if (length == 0) continue;
    read_ = shape;
    return length;
  }
  return 0;
}

void AlikeTimers::learn(std::string_view line) {
  const std::string_view text = trim(line);
  if (!text.starts_with(kTimerWords)) return;
  names_.clear();
  std::vector<std::string_view> values;
  each_field(text.substr(kTimerWords.size()), [&](const MegatronField& field) {
    if (!parse_number(field.value)) return;
    values.push_back(field.value);
    names_.emplace_back(field.name);
  });
  line_.learn(line, values, 0);
}

}  // namespace pippin
