// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/machine_readings.h"

#include <map>
#include <unordered_set>

#include "core/base/units.h"
#include "core/base/whole_number.h"
#include "sweeps/estimate/measured.h"

namespace pippin {

namespace {

/// Readings that a campaign of another cluster took are none of it.
class Adder {
 public:
  Adder(const SampleFilter& filter, const ReadingsOf& of, MachineReadings& readings)
      : of_(of), takes_logs_(of.cluster.empty() || filter.sweep == ""), readings_(readings) {}

  void add(const CollectiveReading& reading) {
    if (is_of_cluster(reading.cluster)) add_reading(reading, of_.gpus_per_node, readings_);
  }

  /// Canaries stand by several runs.
  void add(const CanaryEvidence& reading) {
    if (!is_of_cluster(reading.cluster) || !known_.insert(reading.reading).second) return;
    for (const CanaryPair& pair : reading.pairs) {
      const double bytes = static_cast<double>(pair.bytes.value_or(0));
      if (pair.gb_per_s > 0)
        add_message(bytes, bytes / (pair.gb_per_s * kGb), reading.reading, readings_);
    }
    const CanaryGemm& gemm = reading.gemm;
    if (gemm.m <= 0 || gemm.median_tflops <= 0) return;
    const double seconds = 2 * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) *
                           static_cast<double>(gemm.k) / (gemm.median_tflops * kTera);
    add_work(gemm, seconds, reading.reading, readings_);
    if (of_.machine) add_product(*of_.machine, gemm, seconds, reading.reading, readings_);
  }

  void add(const StoredCheck& one) {
    const auto& clusters = one.origin.clusters;
    if (clusters.size() != 1 || !is_of_cluster(clusters.front())) return;
    const Summary& row = one.check.of;
    if (row.point.trainer == "collective") add_calls(row, one.origin.nodes);
    if (row.point.trainer == "gemm") add_products(row);
  }

 private:
  bool is_of_cluster(const std::string& cluster) const {
    return cluster.empty() ? takes_logs_ : of_.cluster.empty() || cluster == of_.cluster;
  }

  /// Below those of canaries, which are numbers of readings; of one allocation one.
  std::int64_t group_of(const std::string& allocation) {
    const auto next = -1 - static_cast<std::int64_t>(groups_.size());
    return groups_.try_emplace(allocation, next).first->second;
  }

  void add_calls(const Summary& row, const Count& nodes) {
    const auto call = call_of(row.point);
    if (!call) return;
    CollectiveReading reading;
    reading.ranks = call->ranks;
    reading.nodes = nodes.value_or(0);
    reading.measured.operation = call->operation;
    reading.measured.bytes = call->bytes;
    reading.measured.number_type = call->type;
    for (const AllocationMean& mean : row.allocation_means) {
      reading.reading = group_of(mean.allocation);
      reading.measured.time_us = mean.seconds * kUsPerSecond;
      add_reading(reading, of_.gpus_per_node, readings_);
    }
  }

  /// Of single products; those of a whole layer are of many shapes.
  void add_products(const Summary& row) {
    const auto count = [&](const char* name) {
      const Value* value = find_value(row.point.axes, name);
      return value && value->number ? whole_number(*value->number) : std::nullopt;
    };
    const Count m = count("m"), n = count("n"), k = count("k");
    if (!m || !n || !k) return;
    CanaryGemm shape;
    shape.m = *m;
    shape.n = *n;
    shape.k = *k;
    const Value* precision = find_value(row.point.axes, "precision");
    const bool is_narrow = precision && precision->text.ends_with("16");
    for (const AllocationMean& mean : row.allocation_means) {
      const std::int64_t group = group_of(mean.allocation);
      add_work(shape, mean.seconds, group, readings_);
      if (of_.machine && is_narrow)
        add_product(*of_.machine, shape, mean.seconds, group, readings_);
    }
  }

  const ReadingsOf& of_;
  bool takes_logs_;
  MachineReadings& readings_;
  std::unordered_set<std::int64_t> known_;
  std::map<std::string, std::int64_t> groups_;
};

}  // namespace

void add_readings(Database& database, const SampleFilter& filter, const ReadingsOf& of,
                  const std::vector<StoredCheck>& checks, MachineReadings& readings) {
  Adder adder(filter, of, readings);
  for (const CollectiveReading& reading : database.collectives(filter)) adder.add(reading);
  const Evidence evidence = database.evidence(filter);
  for (const RunEvidence& run : evidence.runs)
    for (const auto* canary : {&run.before, &run.after})
      if (*canary) adder.add(**canary);
  if (!filter.sweep || filter.sweep == "")
    for (const CanaryEvidence& collected : evidence.collected) adder.add(collected);
  for (const StoredCheck& one : checks) adder.add(one);
}

}  // namespace pippin
