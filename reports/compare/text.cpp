// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/compare/comparison.h"
#include "reports/display_text.h"
#include "reports/markdown_table.h"
#include "reports/remarks.h"
#include "reports/text_table.h"
#include "reports/values.h"

namespace pippin {

namespace {

using Align = TextColumn::Align;

constexpr double kShort = 0.1;  // s: times below are told in ms

/// Digits that a ratio needs so that its interval shows: two of the interval's half width. More
/// than a tenth of a thousandth nobody asks for.
int decimals_for(double half_width) {
  constexpr int kLeast = 2, kUsual = 3, kMost = 4;
  constexpr double kNothing = 1e-5;
  if (half_width < kNothing) return kUsual;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(half_width))), kLeast, kMost);
}

struct RatioText {
  std::string ratio, interval;
};

RatioText ratio_text(double estimate, const std::optional<Difference>& difference) {
  const double ratio = std::exp(estimate);
  if (!difference) return {fmt::format("{:.3f}×", ratio), ""};
  const double low = std::exp(difference->low(0.95)), high = std::exp(difference->high(0.95));
  if (!std::isfinite(high) || high > 1000 * ratio) return {fmt::format("{:.3f}×", ratio), "any"};
  const int decimals = decimals_for((high - low) / 2);
  return {fmt::format("{:.{}f}×", ratio, decimals),
          fmt::format("{:.{}f} – {:.{}f}", low, decimals, high, decimals)};
}

std::string p_text(std::optional<double> p) {
  constexpr double kSmallest = 0.0005;
  if (!p) return "";
  return *p < kSmallest ? "<0.001" : fmt::format("{:.3f}", *p);
}

/// "1.8 %": what can be found, as far above 1; from twice on as a ratio.
std::string detectable_text(std::optional<double> ratio) {
  constexpr double kPercent = 100;
  if (!ratio || !std::isfinite(*ratio)) return "";
  if (*ratio >= 2) return short_number(*ratio, 2) + "×";
  if (*ratio < 1.001) return "<0.1 %";
  return short_number((*ratio - 1) * kPercent, 2) + " %";
}

std::string more_text(const ComparedRow& row) {
  if (row.verdict != Verdict::kUndetermined || !row.difference) return "";
  return row.more_allocations ? fmt::format("+{}", *row.more_allocations) : ">+1000";
}

/// Step times in the unit of them all.
class Times {
 public:
  explicit Times(const std::vector<ComparedRow>& rows) {
    short_ = std::all_of(rows.begin(), rows.end(), [](const auto& row) {
      return row.base.mean_s < kShort && row.other.mean_s < kShort;
    });
  }
  std::string text(const ComparedSide& side) const {
    return short_number(short_ ? side.mean_s * kMsPerSecond : side.mean_s, 4) +
           (short_ ? " ms" : " s");
  }

 private:
  bool short_ = false;
};

Tone tone_of(const ComparedRow& row) {
  return row.verdict == Verdict::kSlower ? Tone::kBad : Tone::kNormal;
}

/// How important a column is where room is short.
enum Importance { kDetail = 1, kNumbers, kTimes, kVerdict };

TextColumn column(std::string title, Align align, int importance) {
  TextColumn result;
  result.title = std::move(title);
  result.align = align;
  result.importance = importance;
  result.must_stay = importance == kVerdict;
  return result;
}

}  // namespace

std::vector<TextColumn> comparison_columns(const Comparison& comparison) {
  TextColumn point = column("point", Align::kLeft, kVerdict);
  point.may_shorten = true;
  TextColumn base = column(printable(comparison.base), Align::kRight, kTimes);
  TextColumn other = column(printable(comparison.other), Align::kRight, kTimes);
  TextColumn ratio = column("ratio", Align::kRight, kVerdict);
  TextColumn interval = column("95 %", Align::kLeft, kNumbers);
  TextColumn verdict = column("verdict", Align::kLeft, kVerdict);
  TextColumn p = column("p", Align::kRight, kDetail);
  TextColumn detectable = column("finds", Align::kRight, kDetail);
  TextColumn more = column("decided by", Align::kRight, kNumbers);
  TextColumn counts = column("allocations", Align::kRight, kDetail);
  const Times times(comparison.rows);
  for (const auto& row : comparison.rows) {
    const RatioText text = ratio_text(row.estimate, row.difference);
    point.cells.push_back(printable(row.point.name));
    base.cells.push_back(times.text(row.base));
    other.cells.push_back(times.text(row.other));
    ratio.cells.push_back(text.ratio);
    interval.cells.push_back(text.interval);
    verdict.cells.push_back(text_of(row.verdict));
    verdict.tones.push_back(tone_of(row));
    p.cells.push_back(p_text(row.p_adjusted));
    detectable.cells.push_back(detectable_text(row.minimum_detectable));
    more.cells.push_back(more_text(row));
    counts.cells.push_back(fmt::format("{}/{}", row.base.allocations, row.other.allocations));
  }
  return {point, base, other, ratio, interval, verdict, p, detectable, more, counts};
}

std::vector<const char*> fields_of_comparison_columns() {
  return {
      "point",      "base_step_time_s",   "new_step_time_s",  "ratio",          "low", "verdict",
      "p_adjusted", "minimum_detectable", "more_allocations", "new_allocations"};
}

namespace {

/// "all 12 rows", "9 of 12 rows".
std::string share_text(std::size_t rows, std::size_t of) {
  return rows == of ? fmt::format("all {} rows", of) : fmt::format("{} of {} rows", rows, of);
}

std::string common_text(const Comparison& comparison) {
  const CommonMode& common = *comparison.common;
  const RatioText text = ratio_text(common.difference.estimate, common.difference);
  return fmt::format("common to {}: {} ({}), {}; each row stands beside it",
                     share_text(common.rows, comparison.rows.size()), text.ratio, text.interval,
                     text_of(common.verdict));
}

std::string rules_text(const Comparison& comparison) {
  constexpr double kPercent = 100;
  const bool by_work = std::all_of(comparison.rows.begin(), comparison.rows.end(),
                                   [](const auto& row) { return row.by_work; });
  std::string text =
      fmt::format("ratio: {} of {} by {} of {}{}; equivalent: its 90 % interval is within ±{} %",
                  by_work ? "GPU time a sequence" : "time", printable(comparison.other),
                  by_work ? "that" : "time", printable(comparison.base),
                  comparison.common ? ", beside the common one" : "",
                  short_number(comparison.judgement.margin * kPercent, 1));
  if (comparison.rows.size() > 1)
    text += fmt::format("; p: of no difference, adjusted for {} rows", comparison.rows.size());
  return text;
}

/// What rows say of themselves: each remark once, with the rows that have it.
std::vector<std::string> remarks_of_rows(const std::vector<ComparedRow>& rows) {
  std::vector<std::string> order;
  std::vector<std::vector<std::string>> names;
  for (const auto& row : rows) {
    for (const auto& remark : row.remarks) {
      const auto place = std::find(order.begin(), order.end(), remark);
      if (place == order.end()) {
        order.push_back(remark);
        names.push_back({printable(row.point.name)});
      } else {
        names[static_cast<std::size_t>(place - order.begin())].push_back(printable(row.point.name));
      }
    }
  }
  std::vector<std::string> remarks;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool all = names[i].size() == rows.size();
    remarks.push_back(all ? order[i] : listed(names[i]) + ": " + order[i]);
  }
  return remarks;
}

/// `where`: "only in gpt/1".
std::string uncompared_text(const std::string& where, const std::vector<Uncompared>& points) {
  std::vector<std::string> names;
  names.reserve(points.size());
  for (const auto& entry : points) {
    names.push_back(printable(entry.point) +
                    (entry.reason.empty() ? "" : " (" + entry.reason + ")"));
  }
  return where + ": " + listed(names);
}

}  // namespace

std::vector<std::string> comparison_remarks(const Comparison& comparison) {
  std::vector<std::string> remarks;
  if (comparison.common) remarks.push_back(common_text(comparison));
  if (!comparison.rows.empty()) {
    remarks.push_back(rules_text(comparison));
    remarks.emplace_back(
        "finds: the least difference that would be found in 4 of 5 such "
        "comparisons; decided by: so many more allocations a side");
  }
  for (auto& remark : remarks_of_rows(comparison.rows)) remarks.push_back(std::move(remark));
  const auto add = [&](const std::string& where, const std::vector<Uncompared>& points) {
    if (!points.empty()) remarks.push_back(uncompared_text(where, points));
  };
  add("only in " + printable(comparison.base), comparison.only_base);
  add("only in " + printable(comparison.other), comparison.only_other);
  add("measured on neither side", comparison.on_neither);
  remarks.insert(remarks.end(), comparison.set_aside.begin(), comparison.set_aside.end());
  return remarks;
}

void write_comparison_terminal(const ComparisonTable& table, std::ostream& out) {
  const Comparison& comparison = table.comparison;
  if (comparison.rows.empty()) out << "no point was measured on both sides\n";
  if (!comparison.rows.empty())
    write_table(comparison_columns(comparison), table.width, out, table.colours);
  out << '\n';
  for (const auto& remark : comparison_remarks(comparison))
    out << wrapped(remark, table.width, 2) << '\n';
}

void write_comparison_markdown(const ComparisonTable& table, std::ostream& out) {
  const Comparison& comparison = table.comparison;
  if (comparison.rows.empty()) out << "no point was measured on both sides\n";
  if (!comparison.rows.empty()) write_markdown_table(comparison_columns(comparison), out);
  out << '\n';
  for (const auto& remark : comparison_remarks(comparison))
    out << "- " << markdown_literal(remark) << '\n';
}

}  // namespace pippin
