// SPDX-License-Identifier: Apache-2.0
#include "probes/canary/report.h"

#include "probes/common/json.h"
#include "probes/common/text.h"

namespace pippin::probes {

namespace {

/// The ranks' medians.
Spread over_ranks(const CanaryReading& reading) {
  std::vector<double> medians;
  for (const Speed& speed : reading.of_rank) medians.push_back(speed.median);
  return spread_of(medians);
}

std::string gemm_line(const CanaryReading& r) {
  const Spread speeds = over_ranks(r);
  return text(
      "gemm %lldx%lldx%lld: %.4f TFLOPS (min %.4f, max %.4f over %d ranks), slowest rank "
      "%d on %s",
      static_cast<long long>(r.product.m()), static_cast<long long>(r.product.n()),
      static_cast<long long>(r.product.k()), speeds.median, speeds.min, speeds.max, r.ranks,
      slowest_rank(r.of_rank), r.places.name_of(slowest_rank(r.of_rank)).c_str());
}

std::vector<std::string> node_records(const CanaryReading& r) {
  std::vector<std::string> records;
  for (int node = 0; node < r.nodes; ++node) {
    std::vector<double> medians;
    for (std::size_t rank = 0; rank < r.of_rank.size(); ++rank) {
      if (r.places.of_rank[rank] == node) medians.push_back(r.of_rank[rank].median);
    }
    const Spread speeds = spread_of(medians);
    records.push_back(JsonObject()
                          .word("node", r.places.names[node])
                          .word("ranks", r.places.list_of_ranks(node))
                          .number("tflops_min", speeds.min)
                          .number("tflops_median", speeds.median)
                          .line());
  }
  return records;
}

std::string gemm_record(const CanaryReading& r) {
  const Spread speeds = over_ranks(r);
  return JsonObject()
      .whole("m", r.product.m())
      .whole("n", r.product.n())
      .whole("k", r.product.k())
      .number("tflops_min", speeds.min)
      .number("tflops_median", speeds.median)
      .number("tflops_max", speeds.max)
      .whole("slowest_rank", slowest_rank(r.of_rank))
      .word("slowest_host", r.places.name_of(slowest_rank(r.of_rank)))
      .value("by_node", json_array(node_records(r)))
      .line();
}

std::string all_reduce_record(const AllReduceReading& reading) {
  return JsonObject()
      .whole("bytes", reading.bytes)
      .number("time_us_min", reading.time_us.min)
      .number("time_us_median", reading.time_us.median)
      .number("time_us_p99", reading.time_us.p99)
      .number("busbw_gbs_median", reading.busbw_gbs)
      .line();
}

std::string pair_record(const PairReading& pair) {
  return JsonObject()
      .word("a", pair.a)
      .word("b", pair.b)
      .whole("bytes", pair.bytes)
      .whole("iterations", pair.repetitions)
      .number("gbs", pair.gbs)
      .line();
}

}  // namespace

std::vector<std::string> reading_lines(const CanaryReading& r) {
  std::vector<std::string> lines = {gemm_line(r)};
  for (const auto& a : r.all_reduces)
    lines.push_back(
        text("all-reduce of %lld bytes: %.2f us (min %.2f, p99 %.2f of %lld), busbw "
             "%.3f GB/s",
             static_cast<long long>(a.bytes), a.time_us.median, a.time_us.min, a.time_us.p99,
             static_cast<long long>(a.time_us.count), a.busbw_gbs));
  for (const auto& pair : r.pairs)
    lines.push_back(text("pair %s %s: %.3f GB/s", pair.a.c_str(), pair.b.c_str(), pair.gbs));
  return lines;
}

std::string reading_record(const CanaryReading& r) {
  std::vector<std::string> all_reduces, pairs;
  for (const auto& a : r.all_reduces) all_reduces.push_back(all_reduce_record(a));
  for (const auto& pair : r.pairs) pairs.push_back(pair_record(pair));
  return JsonObject()
      .whole("canary", 1)
      .number("seconds", r.seconds)
      .whole("ranks", r.ranks)
      .whole("nodes", r.nodes)
      .word("library", r.library)
      .value("gemm", gemm_record(r))
      .value("all_reduce", json_array(all_reduces))
      .value("pairs", json_array(pairs))
      .line();
}

}  // namespace pippin::probes
