// SPDX-License-Identifier: Apache-2.0
#include "reports/details.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/units.h"
#include "reports/column_kinds.h"
#include "reports/column_names.h"
#include "sweeps/estimate/measured.h"

namespace pippin {

namespace {

constexpr std::array<std::string_view, 4> kDetails{"log", "nodes", "canary_gemm", "canary_busbw"};

/// The mean of what some runs have.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  std::optional<double> value() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / static_cast<double>(count_));
  }

 private:
  double sum_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace

std::optional<double> busbw_of(const CanaryEvidence& reading) {
  if (!(reading.all_reduce_us > 0)) return std::nullopt;
  return bus_bandwidth_gb_per_s({"all_reduce", reading.all_reduce_bytes, "float", reading.ranks},
                                reading.all_reduce_us / kUsPerSecond);
}

namespace {

using ById = std::unordered_map<std::int64_t, const RunEvidence*>;

RowDetails details_of(const std::vector<std::int64_t>& runs, const ById& evidence,
                      const RunLogs& logs) {
  RowDetails details;
  Mean gemm, bandwidth;
  std::set<std::string> nodes, paths;
  for (const std::int64_t run : runs) {
    const auto log = logs.find(run);
    if (log != logs.end() && paths.insert(log->second).second) details.logs.push_back(log->second);
    const auto found = evidence.find(run);
    if (found == evidence.end()) continue;
    const RunEvidence& one = *found->second;
    nodes.insert(one.nodes.begin(), one.nodes.end());
    if (!one.nodes.empty())
      details.nodes_of_run =
          std::max(details.nodes_of_run, Count(static_cast<std::int64_t>(one.nodes.size())));
    if (!one.before) continue;
    if (one.before->gemm.m > 0) gemm.add(one.before->gemm.median_tflops);
    if (const auto rate = busbw_of(*one.before)) bandwidth.add(*rate);
  }
  details.nodes.assign(nodes.begin(), nodes.end());
  details.canary_gemm_tflops = gemm.value();
  details.canary_busbw_gb_per_s = bandwidth.value();
  return details;
}

}  // namespace

bool wants_details(const std::set<std::string, std::less<>>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    const ColumnName* known = find_column_name(name);
    return std::any_of(kDetails.begin(), kDetails.end(), [&](std::string_view detail) {
      const auto& fields = find_column_kind(detail)->fields;
      return (known && known->name == detail) ||
             std::any_of(fields.begin(), fields.end(),
                         [&](const Field& field) { return field.name == name; });
    });
  });
}

void add_details(std::vector<Summary>& rows, const Evidence& evidence, const RunLogs& logs) {
  ById by_id;
  for (const auto& run : evidence.runs) by_id.emplace(run.run, &run);
  for (auto& row : rows) row.details = details_of(row.run_ids, by_id, logs);
}

}  // namespace pippin
