// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/flat_columns.h"
#include "reports/show/run_sheet.h"
#include "reports/values.h"

namespace pippin {

namespace {

struct Reading {
  std::string moment;
  const CanaryReading* reading;
};

using Columns = FlatColumns<Reading>;
constexpr auto kLeft = TextColumn::Align::kLeft;

const CanaryGemm* gemm_of(const Reading& one) {
  const auto& figures = one.reading->figures;
  return figures && figures->gemm.m > 0 ? &figures->gemm : nullptr;
}

const CanaryAllReduce* largest_of(const Reading& one) {
  const auto& figures = one.reading->figures;
  return figures && !figures->all_reduce.empty() ? &figures->all_reduce.back() : nullptr;
}

std::string size_of(std::int64_t bytes) {
  constexpr double kMib = kGib / kMibPerGib;
  return short_number(static_cast<double>(bytes) / kMib) + " MiB";
}

void add_gemm(Columns& columns) {
  columns.add(
      {"GEMM TFLOPS", "gemm_median_tflops", 8},
      [](const Reading& one) {
        const CanaryGemm* gemm = gemm_of(one);
        return gemm ? fmt::format("{} ({} to {})", short_number(gemm->median_tflops),
                                  short_number(gemm->min_tflops), short_number(gemm->max_tflops))
                    : std::string();
      },
      [](const Reading& one) {
        const CanaryGemm* gemm = gemm_of(one);
        return gemm ? std::optional(gemm->median_tflops) : std::nullopt;
      });
  columns.add(
      {"slowest rank", "gemm_slowest_rank", 4},
      [](const Reading& one) {
        const CanaryGemm* gemm = gemm_of(one);
        return gemm ? fmt::format("{} on {}", gemm->slowest_rank, printable(gemm->slowest_host))
                    : std::string();
      },
      [](const Reading& one) {
        const CanaryGemm* gemm = gemm_of(one);
        return gemm ? std::optional(gemm->slowest_rank) : std::nullopt;
      });
}

void add_all_reduce(Columns& columns) {
  columns.add(
      {"all-reduce", "all_reduce_busbw_gb_per_s", 7},
      [](const Reading& one) {
        const CanaryAllReduce* largest = largest_of(one);
        return largest ? fmt::format("{} GB/s of {}", short_number(largest->median_busbw_gb_per_s),
                                     size_of(largest->bytes))
                       : std::string();
      },
      [](const Reading& one) {
        const CanaryAllReduce* largest = largest_of(one);
        return largest ? std::optional(largest->median_busbw_gb_per_s) : std::nullopt;
      });
}

/// Nodes that are the slowest of a reading, where there are several.
void name_slow_nodes(const Reading& one, std::vector<std::string>& remarks) {
  if (!one.reading->figures) return;
  const CanaryNode* slowest = nullptr;
  for (const auto& node : one.reading->figures->by_node) {
    if (!node.median_tflops) continue;
    if (!slowest || *node.median_tflops < *slowest->median_tflops) slowest = &node;
  }
  if (slowest && one.reading->figures->by_node.size() > 1)
    remarks.push_back(fmt::format("{}: the slowest of {} nodes is {}, {} TFLOPS.", one.moment,
                                  one.reading->figures->by_node.size(), printable(slowest->name),
                                  short_number(*slowest->median_tflops)));
  const CanaryPair* link = nullptr;
  for (const auto& pair : one.reading->figures->pairs)
    if (!link || pair.gb_per_s < link->gb_per_s) link = &pair;
  if (link && one.reading->figures->pairs.size() > 1)
    remarks.push_back(fmt::format("{}: the slowest of {} links is {} to {}, {} GB/s.", one.moment,
                                  one.reading->figures->pairs.size(), printable(link->a),
                                  printable(link->b), short_number(link->gb_per_s)));
}

}  // namespace

SheetPart canaries_part(const WholeRun& run) {
  SheetPart part{"canaries", "Canaries: how fast the machine was"};
  std::vector<Reading> readings;
  if (run.before) readings.push_back({"before", &*run.before});
  if (run.after) readings.push_back({"after", &*run.after});
  if (readings.empty()) return part;
  Columns columns(readings);
  columns.add_text({" ", "moment", 9, kLeft}, [](const Reading& one) { return one.moment; });
  columns.add(
      {"taken (UTC)", "taken_utc", 5, kLeft},
      [](const Reading& one) { return utc_text(one.reading->taken_at, "%F %T"); },
      [](const Reading& one) { return utc_text(one.reading->taken_at); });
  add_gemm(columns);
  add_all_reduce(columns);
  columns.add_text({"problem", "problem", 6, kLeft},
                   [](const Reading& one) { return one.reading->problem; });
  part.put_table("readings", columns.take());
  for (const auto& one : readings) name_slow_nodes(one, part.remarks);
  return part;
}

}  // namespace pippin
