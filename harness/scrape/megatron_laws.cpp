// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_laws.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "harness/scrape/upper_median.h"

namespace pippin {

namespace {

// Sources: training_log() of Argonne's Megatron-DeepSpeed, GPT-NeoX and AMD Primus.
constexpr std::string_view kSamplesPerSecond[] = {"samples/sec", "samples_per_second",
                                                  "samples per second"};
constexpr std::string_view kTokensPerGpu[] = {
    "tokens_per_gpu_per_second_tgs", "tokens per gpu per second (tgs)",
    "tokens per gpu per second(tgs)", "tokens per GPU (tokens/s/GPU)",
    "tokens/s/GPU inst/harmonic mean"};
constexpr std::string_view kSeq[] = {"actual_seqlen", "actual seqlen"};

template <typename Names>
std::optional<double> value_of_any(const Iteration& line, const Names& names) {
  for (const auto& [name, value] : line.other) {
    if (value.number && std::find(std::begin(names), std::end(names), name) != std::end(names))
      return value.number;
  }
  return std::nullopt;
}

using OfLine = std::function<std::optional<double>(const Iteration&)>;

/// The median over lines; nothing where no line says it.
std::optional<double> median_of_lines(const Iterations& lines, const OfLine& of_line) {
  std::vector<double> values;
  for (const Iteration& line : lines) {
    if (const auto value = of_line(line)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return upper_median(std::move(values));
}

/// A count out of rounded figures: whole within half a percent.
Count whole(const std::optional<double>& value) {
  constexpr double kNear = 0.005, kMost = 1e9;
  if (!value || !(*value >= 1 - kNear) || *value > kMost) return std::nullopt;
  const double number = std::round(*value);
  if (std::abs(*value - number) > kNear * number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

double seconds_of(const Iteration& line) { return line.step_time_ms / kMsPerSecond; }

Count gbs_of(const Iterations& lines) {
  return whole(median_of_lines(lines, [](const Iteration& line) -> std::optional<double> {
    const auto rate = value_of_any(line, kSamplesPerSecond);
    if (!rate) return std::nullopt;
    return *rate * seconds_of(line);
  }));
}

Count gpus_of(const Iterations& lines, const Count& gbs, const Count& seq) {
  return whole(median_of_lines(lines, [&](const Iteration& line) -> std::optional<double> {
    const auto rate = value_of_any(line, kTokensPerGpu);
    const auto tokens = value_of_any(line, kSeq);
    const Count samples = line.gbs ? line.gbs : gbs;
    if (!rate || !(*rate > 0) || !samples || (!tokens && !seq)) return std::nullopt;
    const double length = tokens ? *tokens : static_cast<double>(*seq);
    return static_cast<double>(*samples) * length / (*rate * seconds_of(line));
  }));
}

}  // namespace

NamedValues apply_laws(MegatronHeader& header, const Point& known, const Iterations& lines) {
  NamedValues derived;
  Count gbs = known.layout.gbs;
  if (!gbs) {
    gbs = header.gbs = gbs_of(lines);
    if (gbs) derived.emplace_back("gbs", value_of(std::string("samples/s · s")));
  }
  if (!known.layout.gpus) {
    header.world = gpus_of(lines, gbs, known.model.seq);
    if (header.world)
      derived.emplace_back("gpus", value_of(std::string("GBS · seq / (tokens/s/GPU · s)")));
    if (!header.world) header.world = header.ranks;
  }
  return derived;
}

}  // namespace pippin
