// SPDX-License-Identifier: Apache-2.0
// Rows of the probes that measure a network and products.
#include <sstream>

#include "reports/format.h"
#include "reports/probe_rates.h"
#include "reports/rates.h"
#include "reports/standing.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

Summary timed(double seconds) {
  Summary row;
  row.sweep = "net";
  row.state = RunState::kOk;
  row.allocations = row.runs = 2;
  row.iterations = 8;
  row.step_time_s = Interval{};
  row.step_time_s->mean = seconds;
  row.step_time_s->low = seconds * 0.8;
  row.step_time_s->high = seconds * 1.25;
  row.allocation_means = {{"a1", "", seconds * 0.99}, {"a2", "", seconds * 1.01}};
  return row;
}

/// An all-reduce of a million bytes over two ranks: 1 GB/s where it takes a millisecond.
Summary call(double seconds, double bytes = 1e6) {
  Summary row = timed(seconds);
  row.point.trainer = "collective";
  row.point.name = "collective-" + std::to_string(static_cast<int>(bytes));
  row.point.id = row.point.name + std::to_string(seconds);
  row.point.layout.gpus = 2;
  row.point.axes = {
      {"op", value_of("all_reduce")}, {"bytes", value_of(bytes)}, {"type", value_of("float")}};
  rate(row, {});
  return row;
}

Summary product(double seconds) {
  Summary row = timed(seconds);
  row.point.trainer = "gemm";
  row.point.name = "gemm";
  row.point.id = "gemm";
  row.point.layout.gpus = 4;
  row.point.axes = {{"m", value_of(1e4)},
                    {"n", value_of(1e4)},
                    {"k", value_of(1e4)},
                    {"precision", value_of("bf16")}};
  rate(row, {FlopsFormula::kParams, {{"bf16", 10}, {"fp32", 1}}, ""});
  return row;
}

std::string terminal(std::vector<Summary> rows) {
  Report report;
  report.rows = std::move(rows);
  report.width = 0;
  std::ostringstream out;
  write_terminal(report, out);
  return out.str();
}

}  // namespace

TEST_CASE("a collective's bus bandwidth has the interval of its time, turned round") {
  const Summary row = call(1e-3);
  REQUIRE(row.bus_bandwidth);
  CHECK(row.bus_bandwidth->mean == Approx(1));
  CHECK(row.bus_bandwidth->low.value() == Approx(0.8));
  CHECK(row.bus_bandwidth->high.value() == Approx(1.25));
  CHECK_FALSE(row.tflops);
  CHECK_FALSE(row.samples_per_s);
}

TEST_CASE("an interval that reaches 0 bounds no bandwidth from above") {
  Summary row = call(1e-3);
  row.step_time_s->low = 0;
  rate(row, {});
  CHECK_FALSE(row.bus_bandwidth->high);
  CHECK(row.bus_bandwidth->low);
}

TEST_CASE("the TFLOPS of products are those of a rank, beside the peak of their number type") {
  const Summary row = product(1);
  CHECK(row.tflops.value() == Approx(2));
  CHECK(row.flops_formula == "products");
  CHECK(row.mfu.value() == Approx(0.2));
  CHECK_FALSE(row.bus_bandwidth);
}

TEST_CASE("a call that is not known has a time and no bandwidth") {
  Summary row = call(1e-3);
  row.bus_bandwidth.reset();
  row.point.axes.erase(row.point.axes.begin() + 1);
  rate(row, {});
  CHECK_FALSE(row.bus_bandwidth);
}

TEST_CASE("calls of one kind are ranked by their bus bandwidth, unlike ones are not") {
  std::vector<Summary> alike{call(2e-3), call(1e-3)};
  alike[0].point.axes.emplace_back("device", value_of("cpu"));
  rank(alike);
  REQUIRE(alike[1].standing);
  CHECK(alike[1].standing->place == Standing::kBest);
  std::vector<Summary> unlike{call(2e-3), call(1e-3, 2e6)};
  rank(unlike);
  CHECK_FALSE(unlike[0].standing);
  CHECK_FALSE(unlike[1].standing);
  compare_with(unlike, 0);
  CHECK(unlike[1].vs->value == Approx(4));
}

TEST_CASE("bandwidths are held against bandwidths, and TFLOPS against TFLOPS") {
  std::vector<Summary> rows{call(1e-3), product(1)};
  compare_with(rows, 0);
  CHECK(rows[0].vs);
  CHECK_FALSE(rows[1].vs);
}

TEST_CASE("calls and products have ranks and times in microseconds, beside training they do not") {
  const std::string own = terminal({call(1e-3), call(2e-3, 2e6)});
  CHECK_THAT(own, Contains("busbw GB/s") && Contains("1.00 (0.800–1.25)") && Contains("ranks") &&
                      Contains(" time ") && Contains("µs ±"));
  CHECK_THAT(own, !Contains("GPUs") && !Contains("step time"));
  Summary training = timed(1e-3);
  training.point.trainer = "training";
  training.point.layout.gpus = 4;
  const std::string mixed = terminal({call(1e-3), training});
  CHECK_THAT(mixed, Contains("GPUs") && Contains("step time") && Contains("ms ±"));
  CHECK_THAT(terminal({training}), !Contains("busbw"));
}
