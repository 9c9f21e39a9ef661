// SPDX-License-Identifier: Apache-2.0
#include "reports/column_kinds.h"

#include <cmath>
#include <ctime>
#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/records/fields.h"
#include "reports/column_names.h"
#include "reports/remarks.h"
#include "reports/strip.h"
#include "reports/values.h"

namespace pippin {

namespace {

using Kind = ColumnKind::Kind;
using Number = std::optional<double>;

constexpr double kPercent = 100;

/// What goes first on a narrow terminal.
enum Importance {
  kDetail,
  kShape,
  kCounts,
  kStrip,
  kLayout,
  kRates,
  kGpus,
  kTflops,
  kNotes,
  kStays
};

Number number_of(const Count& count) {
  return count ? Number(static_cast<double>(*count)) : std::nullopt;
}

/// The column of a field of models or layouts.
template <typename Owner>
ColumnKind count_column(const CountField<Owner>& field, int importance, Owner Point::*owner) {
  const char* name = field.name.data();
  const auto number = [count = field.count, owner](const Summary& row) {
    return number_of(row.point.*owner.*count);
  };
  return {name, Kind::kCount, importance, true, {{name, number}}};
}

ColumnKind text_column(const char* name, int importance, std::string (*text)(const Summary&)) {
  return {name, Kind::kText, importance, false, {{name, nullptr, text}}};
}

ColumnKind rate_column(const char* name, Kind kind, int importance, const char* field,
                       Number (*number)(const Summary&)) {
  return {name, kind, importance, false, {{field, number}}};
}

std::string size_cell(const Summary& row, const TableStyle&, std::optional<int> decimals) {
  const Model& model = row.point.model;
  if (!model.params) return printable(model.size);
  const auto params = static_cast<double>(*model.params);
  return decimals ? fmt::format("{:.{}f}B", params / kBillion, *decimals) : size_text(params);
}

/// Without a time, how the row ended, as people note it: "OOM".
std::string time_cell(const Summary& row, const TableStyle& style, std::optional<int> decimals) {
  if (row.step_time_s) return time_text(row, style.time, decimals);
  if (style.has_state) return "";
  return row.state == RunState::kOom ? "OOM" : std::string(text_of(row.state));
}

/// Between units; of a single allocation within it, which bounds nothing.
Number spread_of(const Summary& row) {
  if (!row.step_time_s || !row.step_time_s->sd) return std::nullopt;
  return *row.step_time_s->sd / row.step_time_s->mean;
}

bool is_repeated(const Summary& row) { return row.step_time_s && row.step_time_s->low; }

/// What was repeated; nothing where nothing was measured.
std::string unit_of(const Summary& row) {
  return row.step_time_s ? row.step_time_s->unit : std::string();
}

std::string spread_cell(const Summary& row, const TableStyle&, std::optional<int> decimals) {
  const Number spread = spread_of(row);
  if (!spread) return "";
  const double percent = *spread * kPercent;
  const auto text = [&](double number) {
    return decimals ? fmt::format("{:.{}f}", number, *decimals) : short_number(number, 2);
  };
  if (row.noted) return text(percent) + " %";
  if (!is_repeated(row)) return text(percent) + " % within";
  const Interval& time = *row.step_time_s;
  if (!time.sd_low || !time.sd_high) return text(percent) + " %";
  return fmt::format("{} % ({}–{})", text(percent), text(*time.sd_low / time.mean * kPercent),
                     text(*time.sd_high / time.mean * kPercent));
}

std::string counts_cell(const Summary& row, const TableStyle&, std::optional<int>) {
  if (!row.step_time_s) return "";
  return fmt::format("{}/{}/{}", row.allocations, row.runs, row.iterations);
}

std::string vs_cell(const Summary& row, const TableStyle&, std::optional<int> decimals) {
  if (!row.vs) return "";
  const int digits = decimals.value_or(2);
  std::string text = fmt::format("{:.{}f}×", row.vs->value, digits);
  if (row.vs->low && row.vs->high) {
    const double half = (*row.vs->high - *row.vs->low) / 2;
    text += fmt::format(" ± {:.{}f}", half, digits);
  }
  return text;
}

/// A time of single lines, in the unit of the table's step times.
std::string line_time_cell(double seconds, const TableStyle& style, std::optional<int> decimals) {
  const double number = seconds * style.time.units_per_s;
  const std::string text =
      decimals ? fmt::format("{:.{}f}", number, *decimals) : short_number(number, 4);
  return text + " " + style.time.unit;
}

template <double Quantiles::*kTime>
ColumnKind line_time_column(const char* name, const char* field) {
  const auto number = [](const Summary& row) {
    return row.lines_s ? Number((*row.lines_s).*kTime) : Number();
  };
  const auto shown = [](const Summary& row, const TableStyle& style, std::optional<int> decimals) {
    return row.lines_s ? line_time_cell((*row.lines_s).*kTime, style, decimals) : std::string();
  };
  return {name, Kind::kOwn, kDetail, false, {{field, number}}, shown};
}

ColumnKind log_column() {
  return {"log",
          Kind::kOwn,
          kDetail,
          false,
          {{"log", nullptr, [](const Summary& row) { return join(row.details.logs, "; "); }}},
          [](const Summary& row, const TableStyle&, std::optional<int>) {
            return printable(listed(row.details.logs));
          }};
}

/// "4: n1, n2, n3 and 9 more": how many a run was on, and which any run was on.
ColumnKind nodes_column() {
  return {
      "nodes",
      Kind::kOwn,
      kDetail,
      false,
      {{"nodes", [](const Summary& row) { return number_of(row.details.nodes_of_run); }},
       {"node_names", nullptr, [](const Summary& row) { return join(row.details.nodes, " "); }}},
      [](const Summary& row, const TableStyle&, std::optional<int>) {
        const Count& count = row.details.nodes_of_run;
        return count ? fmt::format("{}: {}", *count, printable(listed(row.details.nodes)))
                     : std::string();
      }};
}

std::string strip_cell(const Summary& row, const TableStyle& style, std::optional<int>) {
  return strip(row, style.strip_scale);
}

std::string started_text(const Summary& row) {
  return row.started_at ? utc_text(*row.started_at, "%F %R") : "";
}

std::string campaign_text(const Summary& row) {
  return row.campaign > 0 ? fmt::format("{}/{}", row.sweep, row.campaign) : "";
}

std::string place_text(const Summary& row) {
  if (!row.standing) return "";
  constexpr const char* kPlaces[] = {"best", "tied", ""};
  return kPlaces[row.standing->place];
}

/// "31 %"; ">99 %" of what is not sure, and "<1 %" of what is not out of the question.
std::string chance_text(const Standing& standing, int decimals) {
  const double step = std::pow(0.1, decimals), percent = standing.chance * kPercent;
  const bool is_sure = percent <= 0 || percent >= kPercent;
  if (!is_sure && percent > kPercent - step / 2)
    return fmt::format(">{:.{}f} %", kPercent - step, decimals);
  const bool is_open = standing.place != Standing::kBehind && !is_sure;
  if (is_open && percent < step / 2) return fmt::format("<{:.{}f} %", step, decimals);
  return fmt::format("{:.{}f} %", percent, decimals);
}

/// "tied 31 %": the rows that cannot be told from the best are named so.
std::string best_cell(const Summary& row, const TableStyle&, std::optional<int> decimals) {
  if (!row.standing) return "";
  const std::string text = place_text(row);
  return text + (text.empty() ? "" : " ") + chance_text(*row.standing, decimals.value_or(0));
}

Number tokens_rate(const Summary& row) {
  const Count &seq = row.point.model.seq, &gpus = row.point.layout.gpus;
  if (!row.samples_per_s || !seq || !gpus) return std::nullopt;
  const double rate = *row.samples_per_s / static_cast<double>(*gpus) * static_cast<double>(*seq);
  return std::isfinite(rate) ? Number(rate) : std::nullopt;
}

Number measured_count(const Summary& row, std::int64_t count) {
  return row.step_time_s ? Number(static_cast<double>(count)) : std::nullopt;
}

Number allocations_of(const Summary& row) { return measured_count(row, row.allocations); }
Number runs_of(const Summary& row) { return measured_count(row, row.runs); }
Number iterations_of(const Summary& row) { return measured_count(row, row.iterations); }

ColumnKind size_column() {
  const auto params_b = [](const Summary& row) -> Number {
    const Number params = number_of(row.point.model.params);
    return params ? Number(*params / kBillion) : std::nullopt;
  };
  return {"size", Kind::kOwn, kShape, true, {{"params_b", params_b}}, size_cell};
}

ColumnKind time_column() {
  return {"step_time",
          Kind::kOwn,
          kStays,
          false,
          {{"step_time_s",
            [](const Summary& row) {
              return row.step_time_s ? Number(row.step_time_s->mean) : std::nullopt;
            }},
           {"ci_low_s",
            [](const Summary& row) { return row.step_time_s ? row.step_time_s->low : Number(); }},
           {"ci_high_s",
            [](const Summary& row) { return row.step_time_s ? row.step_time_s->high : Number(); }},
           {"sd_s",
            [](const Summary& row) { return row.step_time_s ? row.step_time_s->sd : Number(); }}},
          time_cell};
}

std::string bus_bandwidth_cell(const Summary& row, const TableStyle&, std::optional<int> decimals) {
  if (!row.bus_bandwidth) return "";
  const auto text = [&](double rate) {
    return decimals ? fmt::format("{:.{}f}", rate, *decimals) : short_number(rate);
  };
  const BusBandwidth& rate = *row.bus_bandwidth;
  const std::string mean = text(rate.mean);
  // No ± of half an interval: that of a quotient is longer above.
  return rate.low && rate.high ? fmt::format("{} ({}–{})", mean, text(*rate.low), text(*rate.high))
                               : mean;
}

ColumnKind bus_bandwidth_column() {
  using Row = const Summary&;
  return {"busbw",
          Kind::kOwn,
          kTflops,
          false,
          {{"busbw_gb_per_s",
            [](Row row) { return row.bus_bandwidth ? Number(row.bus_bandwidth->mean) : Number(); }},
           {"busbw_low_gb_per_s",
            [](Row row) { return row.bus_bandwidth ? row.bus_bandwidth->low : Number(); }},
           {"busbw_high_gb_per_s",
            [](Row row) { return row.bus_bandwidth ? row.bus_bandwidth->high : Number(); }}},
          bus_bandwidth_cell};
}

ColumnKind spread_column() {
  const auto of_repeats = [](const Summary& row, std::optional<double> Interval::*value) {
    return is_repeated(row) && (*row.step_time_s).*value
               ? Number(*((*row.step_time_s).*value) / row.step_time_s->mean)
               : std::nullopt;
  };
  return {
      "spread",
      Kind::kOwn,
      kCounts,
      false,
      {{"spread", [=](const Summary& row) { return of_repeats(row, &Interval::sd); }},
       {"spread_low", [=](const Summary& row) { return of_repeats(row, &Interval::sd_low); }},
       {"spread_high", [=](const Summary& row) { return of_repeats(row, &Interval::sd_high); }}},
      spread_cell};
}

ColumnKind best_column() {
  return {"best",
          Kind::kOwn,
          kTflops,
          false,
          {{"p_best",
            [](const Summary& row) {
              return row.standing ? Number(row.standing->chance) : std::nullopt;
            }},
           {"best", nullptr, place_text}},
          best_cell};
}

ColumnKind vs_column() {
  return {"vs",
          Kind::kOwn,
          kTflops,
          false,
          {{"vs", [](const Summary& row) { return row.vs ? Number(row.vs->value) : std::nullopt; }},
           {"vs_low", [](const Summary& row) { return row.vs ? row.vs->low : std::nullopt; }},
           {"vs_high", [](const Summary& row) { return row.vs ? row.vs->high : std::nullopt; }}},
          vs_cell};
}

bool is_column(std::string_view name) {
  const ColumnName* known = find_column_name(name);
  return known && known->name == name;
}

std::vector<ColumnKind> point_kinds() {
  std::vector<ColumnKind> kinds{size_column()};
  for (const auto& field : kModelFields) {
    if (is_column(field.name)) kinds.push_back(count_column(field, kShape, &Point::model));
  }
  for (const auto& field : kLayoutFields) {
    const int importance = field.count == &Layout::gpus ? kGpus : kLayout;
    kinds.push_back(count_column(field, importance, &Point::layout));
  }
  return kinds;
}

std::vector<ColumnKind> name_kinds() {
  using Row = const Summary&;
  return {
      text_column("sweep", kNotes, [](Row row) { return row.sweep; }),
      text_column("point", kStays, [](Row row) { return row.point.name; }),
      text_column("campaign", kNotes, campaign_text),
      text_column("selection", kStays, [](Row row) { return row.selection; }),
      text_column("run", kStays, [](Row row) { return row.run; }),
      rate_column("number", Kind::kCount, kStays, "number",
                  [](Row row) {
                    return row.run_number > 0 ? Number(static_cast<double>(row.run_number))
                                              : std::nullopt;
                  }),
      text_column("allocation", kStays, [](Row row) { return row.allocation; }),
      text_column("day", kStays, [](Row row) { return row.day; }),
      text_column("trainer", kDetail, [](Row row) { return row.point.trainer; }),
      text_column("state", kStays, [](Row row) { return std::string(text_of(row.state)); }),
      text_column("reason", kDetail, [](Row row) { return row.reason; }),
      text_column("difference", kStays, [](Row row) { return row.difference; }),
      text_column("started", kDetail, started_text),
      log_column(),
      nodes_column(),
      text_column("remarks", kDetail, [](Row row) { return join(remarks_of(row), "; "); }),
      text_column("notes", kNotes, [](Row row) { return join(row.notes, "; "); }),
  };
}

std::vector<ColumnKind> measure_kinds() {
  using Row = const Summary&;
  return {
      time_column(),
      text_column("unit", kDetail, [](Row row) { return unit_of(row); }),
      rate_column("df", Kind::kNumber, kDetail, "df",
                  [](Row row) { return row.step_time_s ? row.step_time_s->df : Number(); }),
      line_time_column<&Quantiles::median>("median", "median_s"),
      line_time_column<&Quantiles::p99>("p99", "p99_s"),
      spread_column(),
      {"strip", Kind::kOwn, kStrip, false, {}, strip_cell},
      rate_column("tflops", Kind::kNumber, kTflops, "tflops", [](Row row) { return row.tflops; }),
      bus_bandwidth_column(),
      text_column("flops_formula", kDetail, [](Row row) { return row.flops_formula; }),
      rate_column("mfu", Kind::kPercent, kRates, "mfu", [](Row row) { return row.mfu; }),
      rate_column("hfu", Kind::kPercent, kRates, "hfu", [](Row row) { return row.hfu; }),
      rate_column("samples_per_s", Kind::kNumber, kCounts, "samples_per_s",
                  [](Row row) { return row.samples_per_s; }),
      rate_column("tokens_per_s_per_gpu", Kind::kNumber, kDetail, "tokens_per_s_per_gpu",
                  tokens_rate),
      rate_column("memory", Kind::kNumber, kRates, "memory_gib",
                  [](Row row) { return row.memory_gib; }),
      rate_column("canary_gemm", Kind::kNumber, kDetail, "canary_gemm_tflops",
                  [](Row row) { return row.details.canary_gemm_tflops; }),
      rate_column("canary_busbw", Kind::kNumber, kDetail, "canary_busbw_gb_per_s",
                  [](Row row) { return row.details.canary_busbw_gb_per_s; }),
      vs_column(),
      best_column(),
      rate_column("allocations", Kind::kCount, kCounts, "allocations", allocations_of),
      rate_column("runs", Kind::kCount, kCounts, "runs", runs_of),
      rate_column("iterations", Kind::kCount, kCounts, "iterations", iterations_of),
      {"counts",
       Kind::kOwn,
       kCounts,
       false,
       {{"allocations", allocations_of}, {"runs", runs_of}, {"iterations", iterations_of}},
       counts_cell},
  };
}

std::string number_cell(double number, Kind kind, std::optional<int> decimals) {
  if (kind == Kind::kCount) return fmt::format("{:.0f}", number);
  if (kind == Kind::kPercent)
    return fmt::format("{:.{}f} %", number * kPercent, decimals.value_or(1));
  return decimals ? fmt::format("{:.{}f}", number, *decimals) : short_number(number);
}

}  // namespace

const std::vector<ColumnKind>& column_kinds() {
  static const std::vector<ColumnKind> kKinds = [] {
    std::vector<ColumnKind> all = name_kinds();
    for (const auto& more : {point_kinds(), measure_kinds()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return kKinds;
}

const ColumnKind* find_column_kind(std::string_view name) {
  for (const auto& kind : column_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::string cell_text(const ColumnKind& kind, const Summary& row, const TableStyle& style,
                      std::optional<int> decimals) {
  if (kind.shown) return kind.shown(row, style, decimals);
  const Field& field = kind.fields.front();
  if (field.text) return printable(field.text(row));
  const Number number = field.number(row);
  return number ? number_cell(*number, kind.kind, decimals) : "";
}

std::string exact_text(const Field& field, const Summary& row) {
  if (field.text) return field.text(row);
  const Number number = field.number(row);
  return number ? exact_number(*number) : "";
}

}  // namespace pippin
