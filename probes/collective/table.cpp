// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/table.h"

#include "probes/common/text.h"

namespace pippin::probes {

std::string name_of(Element element) {
  switch (element) {
    case Element::kByte:
      return "uint8";
    case Element::kHalf:
      return "half";
    case Element::kBFloat16:
      return "bfloat16";
    case Element::kFloat:
      return "float";
    case Element::kDouble:
      return "double";
  }
  return "";
}

double bus_bandwidth(const Row& row, const Measurement& measurement) {
  return algorithm_bandwidth(row.call, row.ranks, measurement.mean_us) *
         bus_factor(row.call.operation, row.ranks);
}

std::string parameters_line(const CollectiveSettings& s) {
  const bool adds = s.stepbytes > 0;
  return text(
      "# nThread 1 nGpus 1 minBytes %lld maxBytes %lld step: %lld(%s) warmup iters: %lld "
      "iters: %lld agg iters: 1 validation: %lld graph: 0",
      static_cast<long long>(s.minbytes), static_cast<long long>(s.maxbytes),
      static_cast<long long>(adds ? s.stepbytes : s.factor()), adds ? "bytes" : "factor",
      static_cast<long long>(s.warmup_iters), static_cast<long long>(s.iters),
      static_cast<long long>(s.check));
}

std::string rank_line(int rank, int process, const std::string& node, const RankDevice& device) {
  return text("#  Rank %2d Group %2d Pid %6d on %10s device %2d [0x%02x] %s", rank, 0, process,
              node.c_str(), device.index, static_cast<unsigned>(device.pci_bus),
              device.model.c_str());
}

std::string library_line(const std::string& library) {
  return "# Library              : " + library;
}

std::vector<std::string> column_lines() {
  const auto line = [](const char* size, const char* count, const char* type, const char* redop,
                       const char* root) {
    return text("# %10s  %12s  %8s  %6s  %6s", size, count, type, redop, root);
  };
  return {
      line("", "", "", "", "") + "           out-of-place                       in-place          ",
      line("size", "count", "type", "redop", "root") +
          "     time   algbw   busbw #wrong     time   algbw   busbw #wrong",
      line("(B)", "(elements)", "", "", "") +
          "     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       ",
  };
}

namespace {

std::string time_text(double microseconds) {
  const int digits = microseconds >= 10000.0 ? 0 : microseconds >= 100.0 ? 1 : 2;
  return text("%7.*f", digits, microseconds);
}

std::string half_row(const Row& row, const Measurement& m) {
  const double algorithm = algorithm_bandwidth(row.call, row.ranks, m.mean_us);
  const std::string wrong = m.wrong ? text("%5g", static_cast<double>(*m.wrong)) : "  N/A";
  return text("  %7s  %6.2f  %6.2f  %5s", time_text(m.mean_us).c_str(), algorithm,
              bus_bandwidth(row, m), wrong.c_str());
}

std::string reduction_name(const CollectiveCall& call) {
  if (!kind_of(call.operation).reduces) return "none";
  return call.reduction == Reduction::kSum ? "sum" : "max";
}

std::string statistics_line(const char* where, const EachCall& each) {
  const Spread &c = each.call, &b = each.barrier;
  return text(
      "# %8s  call (us) min %.2f median %.2f p99 %.2f cv %.1f%%  barrier (us) min %.2f "
      "median %.2f p99 %.2f  last rank %d",
      where, c.min, c.median, c.p99, 100 * c.cv, b.min, b.median, b.p99, each.last_rank);
}

}  // namespace

std::string row_line(const Row& row) {
  const CollectiveCall& call = row.call;
  const int root = kind_of(call.operation).has_root ? call.root : -1;
  return text("%12lld  %12lld  %8s  %6s  %6d", static_cast<long long>(bytes_of(call, row.ranks)),
              static_cast<long long>(call.count), name_of(call.element).c_str(),
              reduction_name(call).c_str(), root) +
         half_row(row, row.out_of_place) + half_row(row, row.in_place);
}

std::vector<std::string> statistics_lines(const Row& row) {
  std::vector<std::string> lines;
  if (row.out_of_place.each) lines.push_back(statistics_line("out", *row.out_of_place.each));
  if (row.in_place.each) lines.push_back(statistics_line("in", *row.in_place.each));
  return lines;
}

std::vector<std::string> footer_lines(std::int64_t wrong, double mean_bus_bandwidth) {
  return {text("# Out of bounds values : %lld %s", static_cast<long long>(wrong),
               wrong > 0 ? "FAILED" : "OK"),
          text("# Avg bus bandwidth    : %g ", mean_bus_bandwidth), "#"};
}

}  // namespace pippin::probes
