// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/record.h"

#include "probes/common/json.h"
#include "probes/common/text.h"

namespace pippin::probes {

namespace {

void add_spread(JsonObject& object, const std::string& name, const Spread& spread) {
  object.number(name + "_us_min", spread.min)
      .number(name + "_us_median", spread.median)
      .number(name + "_us_p99", spread.p99)
      .number(name + "_us_max", spread.max)
      .number(name + "_us_mean", spread.mean)
      .number(name + "_cv", spread.cv);
}

JsonObject call_record(const Row& row, bool in_place) {
  const OperationKind& kind = kind_of(row.call.operation);
  JsonObject object;
  object.word("record", "collective")
      .word("operation", kind.name)
      .flag("in_place", in_place)
      .whole("ranks", row.ranks)
      .whole("bytes", bytes_of(row.call, row.ranks))
      .whole("count", row.call.count)
      .word("datatype", name_of(row.call.element))
      .value("op", !kind.reduces                           ? "null"
                   : row.call.reduction == Reduction::kSum ? "\"sum\""
                                                           : "\"max\"")
      .value("root", kind.has_root ? std::to_string(row.call.root) : "null");
  return object;
}

}  // namespace

std::string measurement_record(const Row& row, bool in_place, const Effort& effort,
                               const Medium& medium) {
  const Measurement& m = in_place ? row.in_place : row.out_of_place;
  JsonObject object = call_record(row, in_place);
  object.word("device", medium.device).word("library", medium.library);
  object.whole("iterations", effort.iterations)
      .whole("warmup_iterations", effort.warmup)
      .number("time_us", m.mean_us)
      .number("algbw_gbs", algorithm_bandwidth(row.call, row.ranks, m.mean_us))
      .number("busbw_gbs", bus_bandwidth(row, m))
      .value("wrong", m.wrong ? std::to_string(*m.wrong) : "null");
  if (!m.each) return object.line();
  add_spread(object, "call", m.each->call);
  object.number("busbw_gbs_median", algorithm_bandwidth(row.call, row.ranks, m.each->call.median) *
                                        bus_factor(row.call.operation, row.ranks));
  add_spread(object, "barrier", m.each->barrier);
  return object.whole("last_rank", m.each->last_rank).line();
}

std::vector<std::string> pair_records(const PairsReport& r) {
  std::vector<std::string> lines;
  for (int a = 0; a < r.bandwidths.players; ++a)
    for (int b = a + 1; b < r.bandwidths.players; ++b)
      lines.push_back(JsonObject()
                          .word("record", "pair")
                          .word("device", r.medium.device)
                          .word("library", r.medium.library)
                          .word("a", r.names[a])
                          .word("b", r.names[b])
                          .whole("bytes", r.bytes)
                          .whole("iterations", r.iterations)
                          .number("gbs", r.bandwidths.of(a, b))
                          .line());
  const PairVerdict verdict = judge(r.bandwidths);
  JsonObject whole;
  whole.word("record", "pairs")
      .word("slowest_a", r.names[verdict.slowest.a])
      .word("slowest_b", r.names[verdict.slowest.b])
      .number("slowest_gbs", r.bandwidths.of(verdict.slowest.a, verdict.slowest.b));
  if (verdict.suspect)
    whole.word("suspect", r.names[*verdict.suspect]);
  else
    whole.value("suspect", "null");
  lines.push_back(whole.line());
  return lines;
}

namespace {

std::string matrix_row(const PairsReport& r, int a) {
  std::string line = text("# %12s", r.names[a].c_str());
  for (int b = 0; b < r.bandwidths.players; ++b)
    line += a == b ? text("  %10s", "-") : text("  %10.3f", r.bandwidths.of(a, b));
  return line;
}

std::string suspect_line(const PairsReport& r, const PairVerdict& verdict) {
  if (!verdict.suspect) return "# Suspect              : none";
  const int suspect = *verdict.suspect;
  return text("# Suspect              : %s, median of its pairs %.3f GB/s",
              r.names[suspect].c_str(), verdict.medians[suspect]);
}

}  // namespace

std::vector<std::string> pair_lines(const PairsReport& r) {
  std::vector<std::string> lines = {
      text("# Pairs: %lld bytes each way at once, median of %lld, GB/s each way",
           static_cast<long long>(r.bytes), static_cast<long long>(r.iterations))};
  std::string heads = text("# %12s", "");
  for (const auto& name : r.names) heads += text("  %10s", name.c_str());
  lines.push_back(heads);
  for (int a = 0; a < r.bandwidths.players; ++a) lines.push_back(matrix_row(r, a));
  const PairVerdict verdict = judge(r.bandwidths);
  const auto [a, b] = verdict.slowest;
  lines.push_back(text("# Slowest pair         : %s %s, %.3f GB/s", r.names[a].c_str(),
                       r.names[b].c_str(), r.bandwidths.of(a, b)));
  lines.push_back(suspect_line(r, verdict));
  lines.emplace_back("#");
  return lines;
}

}  // namespace pippin::probes
