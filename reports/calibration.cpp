// SPDX-License-Identifier: Apache-2.0
#include "reports/calibration.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/flat_columns.h"
#include "reports/statistics/student.h"
#include "sweeps/cluster_rates.h"

namespace pippin {

namespace {

constexpr auto kLeft = TextColumn::Align::kLeft;
constexpr double kNormal = 1.96;  ///< 95 % of a normal distribution

/// A figure of the machine, or one of its rates.
struct RateRow {
  std::string name;
  std::optional<double> value, low, high, usual;
  std::string from, use;
  std::int64_t readings = 0;
};

/// Sets the 95 % interval about a value of that sd.
void set_interval(RateRow& row, const std::optional<double>& sd, std::int64_t groups,
                  bool is_linear) {
  if (!sd || !row.value) return;
  const double half = *sd * (groups > 1 ? t_point(static_cast<double>(groups - 1)) : kNormal);
  row.low = is_linear ? *row.value - half : *row.value * std::exp(-half);
  row.high = is_linear ? *row.value + half : *row.value * std::exp(half);
}

/// `value` of a rate's seconds.
template <typename Of>
void add_measured(const char* name, const std::optional<FittedRate>& rate, const TwoRates& from,
                  const char* by, const Of& value, std::vector<RateRow>& rows) {
  if (!rate) return;
  RateRow row;
  row.name = name;
  row.value = value(rate->seconds);
  set_interval(row, rate->sd, from.groups, false);
  row.from = by;
  row.readings = from.readings;
  rows.push_back(std::move(row));
}

std::vector<RateRow> machine_rows(const ClusterCalibration& learned) {
  const auto latency = [](double seconds) { return seconds * kUsPerSecond; };
  const auto bandwidth = [](double seconds) { return 1 / seconds / kGb; };
  const auto tflops = [](double seconds) { return 1 / seconds; };
  const MachineFit& fit = learned.machine;
  std::vector<RateRow> rows;
  add_measured("latency within a node (us)", fit.node.first, fit.node, "collectives", latency,
               rows);
  add_measured("bandwidth within a node (GB/s)", fit.node.second, fit.node, "collectives",
               bandwidth, rows);
  add_measured("latency between nodes (us)", fit.cluster.first, fit.cluster, "collectives", latency,
               rows);
  add_measured("bandwidth between nodes (GB/s)", fit.cluster.second, fit.cluster, "collectives",
               bandwidth, rows);
  add_measured("message between nodes (GB/s)", fit.messages.second, fit.messages, "messages",
               bandwidth, rows);
  add_measured("large products (TFLOPS)", fit.work.first, fit.work, "products", tflops, rows);
  return rows;
}

std::string source_words(const LearnedRate& rate) {
  const bool product = rate.name == "product_share" || rate.name == "short_side";
  std::string probe = product ? "products" : "links";
  switch (rate.source) {
    case RateSource::kProbe:
      return probe;
    case RateSource::kRuns:
      return "training";
    case RateSource::kBoth:
      return probe + ", training";
    case RateSource::kUsual:
      break;
  }
  return "";
}

std::string use_words(const LearnedRate& rate) {
  if (rate.at_bound) return fmt::format("at its bound {}, not used", short_number(*rate.at_bound));
  return rate.source == RateSource::kUsual ? "usual" : "used";
}

/// What is no physics is no part of an interval.
void keep_within_bounds(RateRow& row) {
  for (const RateParameter& one : rate_parameters()) {
    if (one.name != row.name || !row.low) continue;
    row.low = std::max(*row.low, one.least);
    row.high = std::min(*row.high, one.most);
  }
}

std::vector<RateRow> rate_rows(const ClusterCalibration& learned) {
  std::vector<RateRow> rows;
  for (const LearnedRate& rate : learned.rates.all) {
    RateRow row;
    row.name = rate.name;
    row.value = rate.value;
    set_interval(row, rate.sd, rate.groups, rate.is_linear);
    keep_within_bounds(row);
    row.usual = rate.usual;
    row.from = source_words(rate);
    row.readings = rate.source == RateSource::kUsual && !rate.at_bound ? 0 : rate.readings;
    row.use = use_words(rate);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string short_text(const std::optional<double>& number) {
  return number ? short_number(*number) : std::string();
}

/// "±" is of a logarithm, and unlike on both sides.
FlatTable table_of(const std::vector<RateRow>& rows, const char* title) {
  FlatColumns<RateRow> columns(rows);
  const auto text = [&](const char* shown, const char* name, int importance,
                        std::string RateRow::*member) {
    columns.add(
        {shown, name, importance, kLeft}, [=](const RateRow& row) { return row.*member; },
        [=](const RateRow& row) { return row.*member; });
  };
  const auto number = [&](const char* shown, const char* name, int importance,
                          std::optional<double> RateRow::*member) {
    columns.add(
        {shown, name, importance}, [=](const RateRow& row) { return short_text(row.*member); },
        [=](const RateRow& row) { return row.*member; });
  };
  text(title, "rate", 9, &RateRow::name);
  number("value", "value", 9, &RateRow::value);
  number("at least", "low", 6, &RateRow::low);
  number("at most", "high", 6, &RateRow::high);
  number("usual", "usual", 7, &RateRow::usual);
  text("from", "from", 5, &RateRow::from);
  columns.add(
      {"readings", "readings", 5},
      [](const RateRow& row) {
        return row.readings > 0 ? std::to_string(row.readings) : std::string();
      },
      [](const RateRow& row) { return std::optional(row.readings); });
  text("use", "use", 8, &RateRow::use);
  FlatTable table;
  table.rows_are = "rates";
  table.columns = columns.take();
  return table;
}

std::string errors_words(const LearnedRates& rates) {
  constexpr double kPercent = 100;
  return fmt::format("{} of training, errors of {:.1f} %",
                     counted(static_cast<std::int64_t>(rates.points), "point"),
                     kPercent * rates.spread);
}

std::string bounds_words(const ClusterCalibration& learned) {
  const LearnedRates& rates = learned.rates;
  if (rates.points == 0) return "no training tells a rate: bounds stay the usual ones";
  return errors_words(rates) + "; by these rates " + words_on_half_width(rates.half_width);
}

std::string interval_words(const RateRow& row) {
  if (!row.low || !row.high) return "";
  return fmt::format(", {} to {}", short_number(*row.low), short_number(*row.high));
}

/// Of as many digits as are worth it.
std::string yaml_number(double value) { return fmt::format("{:.4g}", value); }

/// The rates that points have told something of, alone or together with another.
std::vector<std::size_t> told_rates(const RateCovariance& covariance) {
  constexpr double kLittle = 0.05;
  std::vector<std::size_t> told;
  for (std::size_t i = 0; i < covariance.size(); ++i) {
    const double spread = std::sqrt(covariance[i][i]);
    bool any = std::abs(spread / rate_parameters()[i].spread - 1) > kLittle;
    for (std::size_t k = 0; k < covariance.size() && !any; ++k)
      any = k != i && std::abs(covariance[i][k]) > kLittle * spread * std::sqrt(covariance[k][k]);
    if (any) told.push_back(i);
  }
  return told;
}

/// As read_cluster_rates() has it.
std::string uncertainty_yaml(const RateUncertainty& uncertainty) {
  const RateCovariance& covariance = uncertainty.covariance;
  std::string text = fmt::format(
      "  uncertainty:  # of rates together: correlations with those above, then the spread\n"
      "    of_learned: {}\n",
      yaml_number(uncertainty.of_learned));
  const std::vector<std::size_t> told = told_rates(covariance);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const double spread = std::sqrt(covariance[told[i]][told[i]]);
    std::vector<std::string> numbers;
    for (std::size_t k = 0; k < i; ++k)
      numbers.push_back(fmt::format(
          "{:.4f}",
          covariance[told[i]][told[k]] / (spread * std::sqrt(covariance[told[k]][told[k]]))));
    numbers.push_back(yaml_number(spread));
    text += fmt::format("    {}: [{}]\n", rate_parameters()[told[i]].name, join(numbers, ", "));
  }
  return text;
}

}  // namespace

std::vector<EstimateTable> calibration_tables(const ClusterCalibration& learned) {
  std::vector<EstimateTable> tables;
  const auto machine = machine_rows(learned);
  if (!machine.empty())
    tables.push_back({"links and products, as probes measured them", table_of(machine, "what")});
  tables.push_back({"rates", table_of(rate_rows(learned), "rate")});
  tables.back().table.remarks.push_back(bounds_words(learned));
  return tables;
}

FlatTable calibration_figures(const ClusterCalibration& learned) {
  auto rows = machine_rows(learned);
  for (RateRow& row : rate_rows(learned)) rows.push_back(std::move(row));
  return table_of(rows, "rate");
}

bool has_learned(const ClusterCalibration& learned) {
  const auto& all = learned.rates.all;
  return std::any_of(all.begin(), all.end(),
                     [](const LearnedRate& rate) { return rate.source != RateSource::kUsual; });
}

std::string rates_yaml(const ClusterCalibration& learned) {
  std::string text =
      fmt::format("# Written by pippin calibrate{}: put it into the cluster's file.\nrates:\n",
                  learned.accelerator.empty() ? "" : " on " + printable(learned.accelerator));
  if (learned.node_gb_per_s > 0)
    text += fmt::format("  node_gb_per_s: {}  # what shares of links between nodes are of\n",
                        yaml_number(learned.node_gb_per_s));
  if (learned.rates.points > 0)
    text += fmt::format("  half_width: {}  # {}\n", yaml_number(learned.rates.half_width),
                        errors_words(learned.rates));
  const auto rows = rate_rows(learned);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (learned.rates.all[i].source == RateSource::kUsual) continue;
    text += fmt::format("  {}: {}  # {} of {}{}; usually {}\n", rows[i].name,
                        yaml_number(*rows[i].value), counted(rows[i].readings, "reading"),
                        rows[i].from, interval_words(rows[i]), short_number(*rows[i].usual));
  }
  if (learned.rates.uncertainty) text += uncertainty_yaml(*learned.rates.uncertainty);
  return text;
}

}  // namespace pippin
