// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/step_times.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/notes/outcome_words.h"
#include "reports/notes/quantities.h"
#include "reports/notes/times.h"
#include "reports/notes/written.h"

namespace pippin {

namespace {

constexpr const char* kUnits = "'samples/s', 'tokens/s' or 'tokens/s/GPU'";

std::string law_text(const RateUnit& unit) {
  const bool tokens = unit.of == RateUnit::Of::kTokens;
  return fmt::format("GBS{} / ({}{})", tokens ? " × seq" : "", tokens ? "tokens/s" : "samples/s",
                     unit.per_gpu ? "/GPU × GPUs" : "");
}

/// The time of `amount` at a rate; how exact it is follows from how exact the rate is.
NotedStepTime time_at(const Measure& rate, double amount, std::string law) {
  const double ms = amount / rate.value * kMsPerSecond;
  NotedStepTime time{{ms, ms * rate.step / rate.value}, std::move(law)};
  if (rate.spread) time.ms.spread = ms * *rate.spread / rate.value;
  return time;
}

/// "seq" and "GPUs" of what a rate needs and a row lacks; empty where it has all.
std::string missing_of(const RateUnit& unit, const SaidOfRow& said) {
  std::vector<std::string> missing;
  if (!said.layout.gbs) missing.emplace_back("GBS");
  if (unit.of == RateUnit::Of::kTokens && !said.model.seq) missing.emplace_back("seq");
  if (unit.per_gpu && !said.layout.gpus) missing.emplace_back("GPUs");
  return join(missing, " and ");
}

double amount_of(const RateUnit& unit, const SaidOfRow& said) {
  double amount = static_cast<double>(*said.layout.gbs);
  if (unit.of == RateUnit::Of::kTokens) amount *= static_cast<double>(*said.model.seq);
  return unit.per_gpu ? amount / static_cast<double>(*said.layout.gpus) : amount;
}

bool is_silent(std::string_view cell) { return plain_text(cell).empty() || outcome_in(cell); }

bool is_possible(const NotedStepTime& time) {
  return time.ms.value > 0 && std::isfinite(time.ms.value);
}

}  // namespace

StepTimes::StepTimes(const TableFacts& facts) : facts_(facts), law_(said_law(facts.settings())) {
  if (!unsaid_of_tflops(facts).empty()) law_.reset();
}

bool StepTimes::has_column() const {
  const NoteColumns& columns = facts_.columns();
  return columns.has("step_time") || !columns.rates().empty() || columns.has("tflops");
}

std::vector<std::string> StepTimes::unsaid_of(const RateColumn& column) const {
  std::vector<std::string> unsaid;
  if (!facts_.is_said("gbs")) unsaid.emplace_back("gbs");
  if (!column.unit) return unsaid;
  if (column.unit->of == RateUnit::Of::kTokens && !facts_.is_said("seq"))
    unsaid.emplace_back("seq");
  if (column.unit->per_gpu && !facts_.is_said("gpus")) unsaid.emplace_back("gpus");
  return unsaid;
}

std::string StepTimes::refusal() const {
  const NoteColumns& columns = facts_.columns();
  if (columns.has("step_time")) return "";
  const auto column_text = [&](std::string_view title, const std::string& what) {
    return fmt::format("{}, column '{}': {}", facts_.name(), printable(title), what);
  };
  std::string first;
  for (const auto& column : columns.rates()) {
    const auto unsaid = unsaid_of(column);
    if (unsaid.empty()) return "";
    if (!first.empty()) continue;
    first = column_text(facts_.title_at(column.place),
                        fmt::format("a step time follows from it with {}, which neither columns "
                                    "nor headings say: {}",
                                    join(unsaid, " and "), as_options(unsaid)));
  }
  if (columns.has("tflops") && law_ && facts_.is_said("gbs") && facts_.is_said("gpus")) return "";
  if (!first.empty() || !columns.has("tflops")) return first;
  auto unsaid = unsaid_of_tflops(facts_);
  for (const char* name : {"gbs", "gpus"}) {
    if (!facts_.is_said(name)) unsaid.emplace_back(name);
  }
  return column_text(columns.title("tflops"),
                     fmt::format("a step time follows from it only by {}, which nothing says: {}",
                                 join(unsaid, " and "), as_options(unsaid)));
}

std::string StepTimes::choice() const {
  const NoteColumns& columns = facts_.columns();
  std::vector<std::string> others;
  for (const std::size_t place : facts_.other_step_times())
    others.push_back(fmt::format("'{}'", printable(facts_.title_at(place))));
  for (const std::size_t place : columns.other_times())
    others.push_back(fmt::format("'{}'", printable(facts_.title_at(place))));
  if (others.empty()) return "";
  const std::string not_others = fmt::format("not from {}", join(others, ", "));
  if (columns.has("step_time"))
    return fmt::format("{}: step times are from column '{}', {}", facts_.name(),
                       printable(columns.title("step_time")), not_others);
  if (!has_column())
    return fmt::format("{}: no column is of step times, which come {}", facts_.name(), not_others);
  return fmt::format("{}: step times follow from other columns, {}", facts_.name(), not_others);
}

std::optional<NotedStepTime> StepTimes::noted(const MarkdownRow& row, const SaidOfRow& said,
                                              std::string& problem) const {
  const NoteColumns& columns = facts_.columns();
  const std::string_view cell = columns.text(row, "step_time"), title = columns.title("step_time");
  if (is_silent(cell)) return std::nullopt;
  auto time = time_in(cell, title);
  if (!time) {
    // "41 samples/s" under "Speed".
    if (const auto rate = rate_in(cell, std::nullopt))
      return by_rate(row, {*columns.find("step_time"), rate->unit}, said, problem);
  }
  if (!time || !(time->value > 0)) {
    problem = fmt::format("column '{}': '{}' is no {}", printable(title), printable(cell),
                          time ? "time above 0" : "time");
    return std::nullopt;
  }
  const std::string_view spread = columns.text(row, "spread");
  if (!time->spread && !is_silent(spread)) {
    time->spread = spread_in(spread, columns.title("spread"), time->value, title);
    if (!time->spread)
      problem = fmt::format("column '{}': '{}' is no spread of a time",
                            printable(columns.title("spread")), printable(spread));
  }
  return NotedStepTime{*time, ""};
}

std::optional<NotedStepTime> StepTimes::by_rate(const MarkdownRow& row, const RateColumn& column,
                                                const SaidOfRow& said, std::string& problem) const {
  const std::string_view cell = row.text(column.place);
  if (is_silent(cell)) return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    problem = fmt::format("column '{}': '{}' {}", printable(facts_.title_at(column.place)),
                          printable(cell), why);
    return std::nullopt;
  };
  const auto rate = rate_in(cell, column.unit);
  if (!rate && !column.unit && number_in(without_about(plain_text(cell))))
    return refuse(fmt::format("does not say of what; call the column {}", kUnits));
  if (!rate) return refuse("is no throughput");
  if (!(rate->measure.value > 0)) return refuse("is no throughput above 0");
  const std::string missing = missing_of(rate->unit, said);
  if (!missing.empty())
    return refuse(fmt::format("gives no step time: the row has no {}", missing));
  NotedStepTime time = time_at(rate->measure, amount_of(rate->unit, said), law_text(rate->unit));
  if (!is_possible(time)) return refuse("gives no possible step time");
  return time;
}

std::optional<NotedStepTime> StepTimes::by_tflops(const MarkdownRow& row, const SaidOfRow& said,
                                                  std::string& problem) const {
  const NoteColumns& columns = facts_.columns();
  const std::string_view cell = columns.text(row, "tflops");
  if (!law_ || is_silent(cell)) return std::nullopt;
  const auto refuse = [&](const char* why) {
    problem = fmt::format("column '{}': '{}' {}", printable(columns.title("tflops")),
                          printable(cell), why);
    return std::nullopt;
  };
  const auto parts = at_spread(without_about(plain_text(cell)));
  const auto tflops = number_in(parts.value);
  if (!tflops || !(*tflops > 0)) return refuse("is no number of TFLOPS above 0");
  const Layout& layout = said.layout;
  if (!layout.gbs || !layout.gpus) return refuse("gives no step time: the row has no GBS or GPUs");
  const auto flops = flops_of(said.model, static_cast<double>(*layout.gbs), *law_);
  if (!flops) return refuse("gives no step time: the row does not say its model");
  Measure rate{*tflops, written_in(parts.value)->step()};
  if (parts.spread) rate.spread = reach_of(*parts.spread, *tflops, 1);
  const double per_gpu = *flops / kTera / static_cast<double>(*layout.gpus);
  NotedStepTime time =
      time_at(rate, per_gpu, fmt::format("FLOPs by {} / TFLOPS", text_of(law_->formula)));
  if (!is_possible(time)) return refuse("gives no possible step time");
  return time;
}

std::optional<NotedStepTime> StepTimes::of(const MarkdownRow& row, const SaidOfRow& said,
                                           std::string& problem) const {
  if (auto time = noted(row, said, problem); time || !problem.empty()) return time;
  for (const auto& column : facts_.columns().rates()) {
    if (auto time = by_rate(row, column, said, problem); time || !problem.empty()) return time;
  }
  return by_tflops(row, said, problem);
}

std::string StepTimes::contradiction(const MarkdownRow& row, const SaidOfRow& said,
                                     const NotedStepTime& time) const {
  if (!time.law.empty()) return "";
  constexpr double kNear = 0.02;  // people average times and rates each for itself
  for (const auto& column : facts_.columns().rates()) {
    std::string ignored;
    const auto other = by_rate(row, column, said, ignored);
    if (!other) continue;
    const double apart = std::abs(other->ms.value - time.ms.value);
    if (apart <= kNear * time.ms.value + time.ms.step + other->ms.step) continue;
    return fmt::format("step time {} s is not {} = {:.4g} s",
                       number_text(time.ms.value / kMsPerSecond), other->law,
                       other->ms.value / kMsPerSecond);
  }
  return "";
}

}  // namespace pippin
