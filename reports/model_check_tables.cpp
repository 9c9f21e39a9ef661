// SPDX-License-Identifier: Apache-2.0
// What was predicted beside what was measured, for people and for programs.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/base/text.h"
#include "reports/flat_columns.h"
#include "reports/model_check.h"
#include "sweeps/cluster_rates.h"

namespace pippin {

namespace {

constexpr auto kLeft = TextColumn::Align::kLeft;
constexpr double kPercent = 100;
using Columns = FlatColumns<ModelCheck>;

/// Yes, no, or nothing.
std::string yes_or_no(const std::optional<bool>& answer) {
  return answer ? (*answer ? "yes" : "no") : "";
}

std::string short_text(const std::optional<double>& number) {
  return number ? short_number(*number) : std::string();
}

/// A number of a row, for people and for programs.
template <typename Row, typename Of>
void add_number(FlatColumns<Row>& columns, const typename FlatColumns<Row>::Names& names, Of of) {
  columns.add(
      names, [=](const Row& row) { return short_text(of(row)); },
      [=](const Row& row) { return std::optional<double>(of(row)); });
}

template <typename Row, typename Of>
void add_text(FlatColumns<Row>& columns, const typename FlatColumns<Row>::Names& names, Of of) {
  columns.add(
      names, [=](const Row& row) { return printable(std::string(of(row))); },
      [=](const Row& row) { return std::string(of(row)); });
}

template <typename Row, typename Of>
void add_answer(FlatColumns<Row>& columns, const typename FlatColumns<Row>::Names& names, Of of) {
  columns.add(
      names, [=](const Row& row) { return yes_or_no(of(row)); },
      [=](const Row& row) { return yes_or_no(of(row)); });
}

std::optional<double> bound(const ModelCheck& check, double sign) {
  if (!check.time || !check.half_width) return std::nullopt;
  return check.time->all() * std::exp(sign * *check.half_width);
}
std::optional<double> low(const ModelCheck& check) { return bound(check, -1); }
std::optional<double> high(const ModelCheck& check) { return bound(check, 1); }

/// Between the means of what was repeated, as reports have it.
std::optional<double> spread_of(const ModelCheck& check) {
  const auto& interval = check.of.step_time_s;
  if (!interval || !interval->sd || interval->unit == "iteration") return std::nullopt;
  return *interval->sd / interval->mean;
}

/// A part of what is predicted.
struct Part {
  const char* title;
  double (*of)(const StepTime& time);
};
constexpr Part kParts[] = {
    {"compute", [](const StepTime& t) { return t.products + t.attention + t.elements + t.issue; }},
    {"TP", [](const StepTime& t) { return t.tensor; }},
    {"CP", [](const StepTime& t) { return t.context; }},
    {"EP", [](const StepTime& t) { return t.experts; }},
    {"PP", [](const StepTime& t) { return t.pipeline; }},
    {"DP", [](const StepTime& t) { return t.data; }},
    {"rest", [](const StepTime& t) { return t.optimizer + t.fixed; }}};

/// Without those of CP and EP where no row waits for them.
void add_shares(const std::vector<ModelCheck>& judged, Columns& columns) {
  for (const Part& part : kParts) {
    const bool is_seldom =
        part.title == std::string_view("CP") || part.title == std::string_view("EP");
    const auto waits = [&](const ModelCheck& check) { return part.of(*check.time) > 0; };
    if (is_seldom && std::none_of(judged.begin(), judged.end(), waits)) continue;
    columns.add(
        {part.title, "", 4},
        [&](const ModelCheck& check) {
          const double share = kPercent * part.of(*check.time) / check.time->all();
          return fmt::format("{:.0f} %", share);
        },
        [](const ModelCheck&) { return std::string(); });
  }
}

std::string point_of(const ModelCheck& check) {
  const std::string& name = check.of.point.name;
  return check.of.selection.empty() ? name : check.of.selection + ": " + name;
}

EstimateTable times_table(const std::vector<ModelCheck>& judged) {
  Columns columns(judged);
  add_text(columns, {"point", "point", 9, kLeft}, point_of);
  add_text(columns, {"GPU", "accelerator", 3, kLeft},
           [](const ModelCheck& check) { return check.accelerator; });
  add_number(columns, {"predicted s", "predicted_s", 9}, predicted_s);
  add_number(columns, {"at least", "predicted_low_s", 5}, low);
  add_number(columns, {"at most", "predicted_high_s", 5}, high);
  add_number(columns, {"measured s", "measured_s", 9}, measured_s);
  columns.add(
      {"spread", "", 6},
      [](const ModelCheck& check) {
        const auto spread = spread_of(check);
        return spread ? short_number(kPercent * *spread, 2) + " %" : std::string();
      },
      [](const ModelCheck&) { return std::string(); });
  add_number(columns, {"ratio", "measured_by_predicted", 8}, measured_by_predicted);
  add_answer(columns, {"within", "within", 8}, is_within);
  add_shares(judged, columns);
  EstimateTable made{"step time, and where the predicted time goes", {}};
  made.table.columns = columns.take();
  std::set<std::string> words;
  for (const ModelCheck& check : judged)
    if (check.half_width) words.insert(check.words_on_rates);
  made.table.remarks.assign(words.begin(), words.end());
  return made;
}

/// One phase of one point.
struct PhaseRow {
  std::string point;
  Phase phase;
  double all = 0;  ///< measured, of the iteration
};

std::vector<PhaseRow> phase_rows(const std::vector<ModelCheck>& checks) {
  std::vector<PhaseRow> rows;
  for (const ModelCheck& check : checks)
    for (const Phase& phase : check.phases)
      rows.push_back({point_of(check), phase, measured_s(check).value_or(0)});
  return rows;
}

std::string difference_words(const PhaseRow& row) {
  const double more = row.phase.measured - row.phase.predicted;
  if (row.all <= 0) return "";
  return fmt::format("{:+.1f} %", kPercent * more / row.all);
}

EstimateTable phases_table(const std::vector<PhaseRow>& rows) {
  FlatColumns<PhaseRow> columns(rows);
  add_text(columns, {"point", "point", 9, kLeft}, [](const PhaseRow& row) { return row.point; });
  add_text(columns, {"phase", "phase", 9, kLeft},
           [](const PhaseRow& row) { return row.phase.name; });
  add_text(columns, {"what", "what", 5, kLeft}, [](const PhaseRow& row) { return row.phase.what; });
  add_number(columns, {"predicted s", "predicted_s", 8},
             [](const PhaseRow& row) { return std::optional(row.phase.predicted); });
  add_number(columns, {"measured s", "measured_s", 8},
             [](const PhaseRow& row) { return std::optional(row.phase.measured); });
  add_number(columns, {"ratio", "ratio", 6}, [](const PhaseRow& row) {
    return row.phase.predicted > 0 ? std::optional(row.phase.measured / row.phase.predicted)
                                   : std::nullopt;
  });
  add_text(columns, {"more", "", 7}, difference_words);
  EstimateTable made{"phases, as trainers timed them", {}};
  made.table.columns = columns.take();
  made.table.remarks.emplace_back(
      "of all ranks the longest computing and the shortest waiting; more: than was predicted, as a "
      "share of the measured step");
  return made;
}

std::string outcome_words(const ModelCheck& check) {
  std::vector<std::string> words;
  if (check.ran > 0) words.push_back(fmt::format("{} ran", check.ran));
  if (check.out_of_memory > 0)
    words.push_back(fmt::format("{} out of memory", check.out_of_memory));
  return words.empty() ? std::string(text_of(check.of.state)) : join(words, ", ");
}

/// The last that fits and the first that does not stand together.
std::vector<ModelCheck> by_memory(const std::vector<ModelCheck>& checks) {
  std::vector<ModelCheck> rows;
  for (const ModelCheck& check : checks)
    if (check.peak_gib) rows.push_back(check);
  std::stable_sort(rows.begin(), rows.end(), [](const ModelCheck& a, const ModelCheck& b) {
    return a.needed_gib.value_or(0) < b.needed_gib.value_or(0);
  });
  return rows;
}

/// Where runs end and deaths begin on GPUs that have as much, by what was predicted.
std::vector<std::string> frontier_words(const std::vector<ModelCheck>& rows) {
  struct Frontier {
    std::optional<double> most_ran, least_died;
  };
  std::map<std::pair<std::string, double>, Frontier> frontiers;
  std::int64_t agree = 0, differ = 0;
  for (const ModelCheck& row : rows) {
    auto& [most_ran, least_died] = frontiers[{row.accelerator, row.usable_gib.value_or(0)}];
    if (row.ran > 0) most_ran = std::max(most_ran.value_or(0), *row.needed_gib);
    if (row.out_of_memory > 0)
      least_died = std::min(least_died.value_or(*row.needed_gib), *row.needed_gib);
    const auto agrees = memory_agrees(row);
    (agrees.value_or(false) ? agree : differ) += agrees ? 1 : 0;
  }
  std::vector<std::string> words;
  for (const auto& [gpu, found] : frontiers) {
    if (!found.most_ran || !found.least_died) continue;
    const std::string where =
        frontiers.size() > 1 && !gpu.first.empty() ? "on " + printable(gpu.first) + ", " : "";
    words.push_back(
        fmt::format("{}of those that ran none needs more than {} GiB by prediction, of "
                    "those that died none less than {}",
                    where, short_number(*found.most_ran), short_number(*found.least_died)));
  }
  if (agree + differ > 0)
    words.push_back(fmt::format("whether it fits was foretold of {}, wrongly of {}",
                                counted(agree + differ, "point"), differ));
  return words;
}

EstimateTable memory_table(const std::vector<ModelCheck>& rows) {
  Columns columns(rows);
  add_text(columns, {"point", "point", 9, kLeft}, point_of);
  add_text(columns, {"GPU", "accelerator", 3, kLeft},
           [](const ModelCheck& check) { return check.accelerator; });
  add_number(columns, {"predicted peak", "predicted_peak_gib", 7},
             [](const ModelCheck& check) { return check.peak_gib; });
  add_number(columns, {"measured", "measured_gib", 7},
             [](const ModelCheck& check) { return check.of.memory_gib; });
  add_number(columns, {"needs", "needed_gib", 8},
             [](const ModelCheck& check) { return check.needed_gib; });
  add_number(columns, {"has", "usable_gib", 8},
             [](const ModelCheck& check) { return check.usable_gib; });
  add_answer(columns, {"fits", "should_fit", 8}, should_fit);
  add_text(columns, {"runs", "runs", 8, kLeft}, outcome_words);
  add_answer(columns, {"foretold", "memory_agrees", 8}, memory_agrees);
  EstimateTable made{"GiB of a GPU, and who ran out of memory", {}};
  made.table.columns = columns.take();
  made.table.remarks = frontier_words(rows);
  return made;
}

/// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  const std::size_t shown = std::min(names.size(), kMost);
  std::string text =
      join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

template <typename Why>
void add_reasons(const std::vector<ModelCheck>& checks, const char* what, const Why& why,
                 std::vector<std::string>& sentences) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const ModelCheck& check : checks)
    if (const std::string reason = why(check); !reason.empty())
      by_reason[reason].push_back(printable(point_of(check)));
  for (const auto& [reason, names] : by_reason)
    sentences.push_back(fmt::format("no {} of {}: {}", what, some_of(names), reason));
}

}  // namespace

std::vector<EstimateTable> model_check_tables(const std::vector<ModelCheck>& checks) {
  std::vector<ModelCheck> judged;
  for (const ModelCheck& check : checks)
    if (check.time) judged.push_back(check);
  std::vector<EstimateTable> tables;
  if (!judged.empty()) tables.push_back(times_table(judged));
  const auto phases = phase_rows(checks);
  if (!phases.empty()) tables.push_back(phases_table(phases));
  const auto memory = by_memory(checks);
  if (!memory.empty()) tables.push_back(memory_table(memory));
  return tables;
}

std::vector<std::string> what_is_not_judged(const std::vector<ModelCheck>& checks) {
  std::vector<std::string> sentences;
  // What has neither is said once.
  const auto same = [](const ModelCheck& check) {
    return check.why_no_time == check.why_no_memory ? check.why_no_time : "";
  };
  add_reasons(checks, "prediction", same, sentences);
  add_reasons(
      checks, "predicted time",
      [&](const ModelCheck& check) { return same(check).empty() ? check.why_no_time : ""; },
      sentences);
  add_reasons(
      checks, "predicted memory",
      [&](const ModelCheck& check) { return same(check).empty() ? check.why_no_memory : ""; },
      sentences);
  return sentences;
}

namespace {

void add_identity(Columns& columns) {
  add_text(columns, {"", "sweep"}, [](const ModelCheck& check) { return check.of.sweep; });
  add_text(columns, {"", "point"}, [](const ModelCheck& check) { return check.of.point.name; });
  add_text(columns, {"", "selection"}, [](const ModelCheck& check) { return check.of.selection; });
  add_text(columns, {"", "trainer"},
           [](const ModelCheck& check) { return check.of.point.trainer; });
  add_text(columns, {"", "state"},
           [](const ModelCheck& check) { return std::string(text_of(check.of.state)); });
  const auto count = [&](const char* name, Count Layout::*member) {
    columns.add(
        {"", name}, [](const ModelCheck&) { return std::string(); },
        [=](const ModelCheck& check) { return check.of.point.layout.*member; });
  };
  count("gpus", &Layout::gpus);
  count("tp", &Layout::tp);
  count("pp", &Layout::pp);
  count("dp", &Layout::dp);
  count("mbs", &Layout::mbs);
  count("gas", &Layout::gas);
  add_text(columns, {"", "accelerator"}, [](const ModelCheck& check) { return check.accelerator; });
  add_text(columns, {"", "rates"}, [](const ModelCheck& check) {
    return !check.time ? "" : check.rates.empty() ? "usual" : check.rates;
  });
}

void add_times(Columns& columns) {
  add_number(columns, {"", "predicted_s"}, predicted_s);
  add_number(columns, {"", "predicted_low_s"}, low);
  add_number(columns, {"", "predicted_high_s"}, high);
  add_number(columns, {"", "measured_s"}, measured_s);
  add_number(columns, {"", "spread"}, spread_of);
  add_number(columns, {"", "measured_by_predicted"}, measured_by_predicted);
  add_answer(columns, {"", "within"}, is_within);
  const auto part = [&](const char* name, double StepTime::*member) {
    add_number(columns, {"", name}, [=](const ModelCheck& check) {
      return check.time ? std::optional((*check.time).*member) : std::nullopt;
    });
  };
  part("predicted_products_s", &StepTime::products);
  part("predicted_attention_s", &StepTime::attention);
  part("predicted_elements_s", &StepTime::elements);
  part("predicted_issue_s", &StepTime::issue);
  part("predicted_tensor_s", &StepTime::tensor);
  part("predicted_context_s", &StepTime::context);
  part("predicted_experts_s", &StepTime::experts);
  part("predicted_pipeline_s", &StepTime::pipeline);
  part("predicted_data_s", &StepTime::data);
  part("predicted_optimizer_s", &StepTime::optimizer);
  part("predicted_fixed_s", &StepTime::fixed);
}

/// The phase that begins with that name; of joined ones the others stand empty.
void add_phase(Columns& columns, const char* name, const char* column) {
  add_number(columns, {"", column}, [=](const ModelCheck& check) -> std::optional<double> {
    for (const Phase& phase : check.phases)
      if (phase.name.starts_with(name)) return phase.measured;
    return std::nullopt;
  });
}

void add_phases(Columns& columns) {
  add_text(columns, {"", "measured_compute_holds"}, [](const ModelCheck& check) {
    return check.phases.empty() ? std::string() : check.phases.front().name;
  });
  add_phase(columns, "compute", "measured_compute_s");
  add_phase(columns, "tensor", "measured_tensor_s");
  add_phase(columns, "pipeline", "measured_pipeline_s");
  add_phase(columns, "data", "measured_data_s");
  add_phase(columns, "optimizer", "measured_optimizer_s");
  add_phase(columns, "rest", "measured_rest_s");
}

void add_memory(Columns& columns) {
  add_number(columns, {"", "predicted_peak_gib"},
             [](const ModelCheck& check) { return check.peak_gib; });
  add_number(columns, {"", "measured_gib"},
             [](const ModelCheck& check) { return check.of.memory_gib; });
  add_number(columns, {"", "needed_gib"}, [](const ModelCheck& check) { return check.needed_gib; });
  add_number(columns, {"", "usable_gib"}, [](const ModelCheck& check) { return check.usable_gib; });
  add_answer(columns, {"", "should_fit"}, should_fit);
  columns.add_count({"", "runs_ran"}, &ModelCheck::ran);
  columns.add_count({"", "runs_out_of_memory"}, &ModelCheck::out_of_memory);
  add_answer(columns, {"", "memory_agrees"}, memory_agrees);
}

}  // namespace

FlatTable model_check_figures(const std::vector<ModelCheck>& checks) {
  Columns columns(checks);
  add_identity(columns);
  add_times(columns);
  add_phases(columns);
  add_memory(columns);
  add_text(columns, {"", "why_no_time"}, [](const ModelCheck& check) { return check.why_no_time; });
  add_text(columns, {"", "why_no_memory"},
           [](const ModelCheck& check) { return check.why_no_memory; });
  FlatTable table;
  table.rows_are = "points";
  table.columns = columns.take();
  return table;
}

}  // namespace pippin
