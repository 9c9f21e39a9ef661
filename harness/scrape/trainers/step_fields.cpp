// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/step_fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace pippin {

Figure scaled(const Figure& figure, double factor) {
  return {figure.value * factor, figure.quantum * factor, figure.size};
}

void keep(StepRecord& record, std::string_view name, const std::optional<Figure>& figure) {
  if (figure) record.other.emplace_back(name, figure->value);
}

std::optional<double> value_of_figure(const std::optional<Figure>& figure) {
  return figure ? std::optional(figure->value) : std::nullopt;
}

void keep_loss(StepRecord& record, const std::optional<std::string_view>& text) {
  if (!text) return;
  record.lm_loss = value_of_figure(figure_at(*text));
  const auto unsigned_text = text->substr(text->starts_with('-') || text->starts_with('+') ? 1 : 0);
  for (const std::string_view bad : {"nan", "NaN", "NAN", "inf", "Inf"})
    record.bad_loss = record.bad_loss || unsigned_text.starts_with(bad);
}

void raise(std::optional<double>& most, const std::optional<double>& value) {
  if (value) most = std::max(most.value_or(*value), *value);
}

void raise(RankMemory& most, const RankMemory& said) {
  raise(most.allocated_mib, said.allocated_mib);
  raise(most.max_allocated_mib, said.max_allocated_mib);
  raise(most.reserved_mib, said.reserved_mib);
  raise(most.max_reserved_mib, said.max_reserved_mib);
}

RankMemory& memory_of(TrainerLaunch& launch, std::int64_t rank) {
  RankMemory& memory = launch.memory[rank];
  memory.rank = rank;
  return memory;
}

void keep_moment(StepRecord& record, const std::optional<Moment>& moment) {
  if (!moment) return;
  record.at = moment->at;
  record.at_quantum = moment->quantum;
}

std::optional<double> median_of(
    const StepRows& rows, const std::function<std::optional<double>(const StepRecord&)>& value) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const auto& row : rows.rows()) {
    if (const auto of_row = value(row.record)) values.push_back(*of_row);
  }
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

namespace {

/// The median over lines of their rate times what `seconds` has for a line and the one before.
std::optional<double> median_by_clock(
    const StepRows& rows,
    const std::function<double(const StepRecord& last, const StepRecord& record)>& seconds) {
  const StepRecord* before = nullptr;
  return median_of(rows, [&](const StepRecord& record) -> std::optional<double> {
    const StepRecord* last = std::exchange(before, &record);
    if (!last || !last->at || !record.at || !(*record.at > *last->at)) return std::nullopt;
    return record.figure.value * seconds(*last, record) /
           static_cast<double>(record.step - last->step);
  });
}

}  // namespace

std::optional<TokensByClock> tokens_by_clock(const StepRows& rows) {
  const auto tokens = median_by_clock(
      rows, [](const auto& last, const auto& record) { return *record.at - *last.at; });
  if (!tokens) return std::nullopt;
  const auto quantum =
      median_by_clock(rows, [](const auto&, const auto& record) { return record.at_quantum; });
  return TokensByClock{*tokens, quantum.value_or(0)};
}

void derive_tokens_by_clock(LaunchFacts& facts, const StepRows& rows, std::string_view rate) {
  if (facts.tokens_per_gpu_step) return;
  const auto by_clock = tokens_by_clock(rows);
  if (!by_clock) return;
  facts.tokens_per_gpu_step = near_power_of_two(by_clock->tokens);
  facts.tokens_quantum = by_clock->quantum;
  facts.derived.emplace_back("tokens per GPU and step",
                             value_of(fmt::format("{} · seconds between two lines", rate)));
}

}  // namespace pippin
