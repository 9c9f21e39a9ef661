// SPDX-License-Identifier: Apache-2.0
#include "probes/gemm/report.h"

#include "probes/common/json.h"
#include "probes/common/spread.h"
#include "probes/common/text.h"

namespace pippin::probes {

std::vector<Speed> speeds_of_ranks(const std::vector<ProductResult>& results) {
  std::vector<Speed> speeds;
  for (std::size_t rank = 0; rank < results.front().of_rank.size(); ++rank) {
    double operations = 0, at_min = 0, at_median = 0, at_max = 0;
    std::int64_t repetitions = 0;
    for (const auto& result : results) {
      const Speed& own = result.of_rank[rank];
      const double flops = result.product.flops();
      operations += flops;
      at_min += flops / own.min;
      at_median += flops / own.median;
      at_max += flops / own.max;
      repetitions += own.repetitions;
    }
    speeds.push_back(
        {operations / at_min, operations / at_median, operations / at_max, repetitions});
  }
  return speeds;
}

std::vector<double> speeds_of_nodes(const std::vector<Speed>& of_rank, const Nodes& nodes) {
  std::vector<double> speeds(nodes.names.size());
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank)
    speeds[nodes.of_rank[rank]] += of_rank[rank].median;
  return speeds;
}

namespace {

/// The medians of the ranks.
Spread over_ranks(const std::vector<Speed>& of_rank) {
  std::vector<double> medians;
  medians.reserve(of_rank.size());
  for (const Speed& speed : of_rank) medians.push_back(speed.median);
  return spread_of(medians);
}

long long whole(std::int64_t number) { return static_cast<long long>(number); }

}  // namespace

std::vector<std::string> product_heads() {
  return {
      "#                                                                                 TFLOPS "
      "of the ranks' medians  slowest",
      text("# %-13s  %-15s  %8s  %8s  %8s  %6s  %10s  %8s  %8s  %8s  %7s", "layer", "pass", "m",
           "n", "k", "batch", "GFLOP", "min", "median", "max", "rank")};
}

std::string product_line(const ProductResult& result) {
  const Product& p = result.product;
  const Spread ranks = over_ranks(result.of_rank);
  return text("  %-13s  %-15s  %8lld  %8lld  %8lld  %6lld  %10.4f  %8.4f  %8.4f  %8.4f  %7d",
              p.layer.c_str(), p.pass_name(), whole(p.m()), whole(p.n()), whole(p.k()),
              whole(p.batch()), p.flops() / 1e9, ranks.min, ranks.median, ranks.max,
              slowest_rank(result.of_rank));
}

std::vector<std::string> summary_lines(const std::vector<ProductResult>& results,
                                       const Nodes& nodes) {
  const auto speeds = speeds_of_ranks(results);
  const auto node_speeds = speeds_of_nodes(speeds, nodes);
  std::vector<std::string> lines = {"#",
                                    "# all products, TFLOPS of the repetitions: min, median, max"};
  for (std::size_t rank = 0; rank < speeds.size(); ++rank)
    lines.push_back(text("#  Rank %2d on %10s  %8.4f  %8.4f  %8.4f", static_cast<int>(rank),
                         nodes.name_of(static_cast<int>(rank)).c_str(), speeds[rank].min,
                         speeds[rank].median, speeds[rank].max));
  for (int node = 0; node < nodes.count(); ++node)
    lines.push_back(text("#  Node %10s of %d ranks  %8.4f", nodes.names[node].c_str(),
                         nodes.ranks_of(node), node_speeds[node]));
  const int slowest = slowest_rank(speeds);
  lines.push_back(text("# Slowest rank         : %d on %s, %.4f TFLOPS, median of the ranks %.4f",
                       slowest, nodes.name_of(slowest).c_str(), speeds[slowest].median,
                       over_ranks(speeds).median));
  return lines;
}

namespace {

JsonObject& add_speed(JsonObject& object, int rank, const Speed& speed, const Nodes& nodes) {
  return object.whole("rank", rank)
      .word("host", nodes.name_of(rank))
      .whole("repetitions", speed.repetitions)
      .number("tflops_min", speed.min)
      .number("tflops_median", speed.median)
      .number("tflops_max", speed.max);
}

}  // namespace

std::vector<std::string> product_records(const ProductResult& result, const Nodes& nodes) {
  const Product& p = result.product;
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < result.of_rank.size(); ++rank) {
    JsonObject object;
    object.word("record", "gemm")
        .word("layer", p.layer)
        .word("pass", p.pass_name())
        .whole("m", p.m())
        .whole("n", p.n())
        .whole("k", p.k())
        .whole("batch", p.batch())
        .number("flops", p.flops());
    lines.push_back(add_speed(object, static_cast<int>(rank), result.of_rank[rank], nodes).line());
  }
  return lines;
}

std::vector<std::string> summary_records(const std::vector<ProductResult>& results,
                                         const Nodes& nodes) {
  const auto speeds = speeds_of_ranks(results);
  const auto node_speeds = speeds_of_nodes(speeds, nodes);
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    JsonObject object;
    object.word("record", "gemm_rank");
    lines.push_back(add_speed(object, static_cast<int>(rank), speeds[rank], nodes).line());
  }
  for (int node = 0; node < nodes.count(); ++node)
    lines.push_back(JsonObject()
                        .word("record", "gemm_node")
                        .word("host", nodes.names[node])
                        .whole("ranks", nodes.ranks_of(node))
                        .number("tflops_median", node_speeds[node])
                        .line());
  const int slowest = slowest_rank(speeds);
  lines.push_back(JsonObject()
                      .word("record", "gemm_slowest")
                      .whole("rank", slowest)
                      .word("host", nodes.name_of(slowest))
                      .number("tflops_median", speeds[slowest].median)
                      .line());
  return lines;
}

}  // namespace pippin::probes
