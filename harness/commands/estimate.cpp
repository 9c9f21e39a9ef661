// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/estimate.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/jobs/quoting.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/print_table.h"
#include "reports/estimate.h"
#include "reports/values.h"
#include "sweeps/accelerators.h"
#include "sweeps/cluster_file.h"
#include "sweeps/cluster_rates.h"
#include "sweeps/estimate/analysis_tool.h"
#include "sweeps/estimate/launch_checks.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

/// A column that is misspelt would be taken for one that is not given.
std::vector<PointRow> rows_of(const fs::path& file, std::vector<std::string>& remarks) {
  const std::string where = printable(file.string());
  auto rows = read_point_rows(read_input(file), where);
  if (rows.empty()) return rows;
  for (const std::string& column : rows.front().unknown_columns()) {
    const std::string words = fmt::format("{}: the column '{}' is not known and not used{}", where,
                                          printable(column), did_you_mean(column, point_columns()));
    const bool is_said = std::find(remarks.begin(), remarks.end(), words) != remarks.end();
    if (!is_said) remarks.push_back(words);
  }
  return rows;
}

std::string fit_words(const ClusterFit& fit) {
  std::string words = fmt::format("{}: rates of {}, errors of {:.1f} %", printable(fit.name),
                                  counted(static_cast<std::int64_t>(fit.learned.points), "layout"),
                                  100 * fit.learned.spread);
  std::vector<std::string> at_bounds;
  for (const LearnedRate& rate : fit.learned.all)
    if (rate.at_bound) at_bounds.emplace_back(rate.name);
  if (!at_bounds.empty())
    words += "; not used, as it would be out of physics: " + join(at_bounds, ", ");
  return words;
}

void calibrate(const fs::path& file, PointJudge& judge, std::vector<std::string>& remarks) {
  const auto rows = rows_of(file, remarks);
  const std::size_t used = judge.calibrate_on(rows);
  const std::string where = printable(file.string());
  if (used == 0)
    bad_input("{}: none of {} can be learned from: each needs a layout, its GPU and its step_s",
              where, counted(static_cast<std::int64_t>(rows.size()), "row"));
  if (used < rows.size())
    remarks.push_back(
        fmt::format("{}: {} of {} rows are not learned from, as they lack a time, or enough of "
                    "their layout",
                    where, rows.size() - used, rows.size()));
}

void print_points(const Globals& globals, const EstimateOptions& options) {
  PointJudge judge;
  std::vector<std::string> remarks;
  if (!options.calibrate_on.empty()) calibrate(options.calibrate_on, judge, remarks);
  const auto rows = rows_of(options.points, remarks);
  for (const ClusterFit& fit : judge.fits()) remarks.push_back(fit_words(fit));
  for (const auto& words : remarks) remark(globals, words);
  std::vector<PointJudgement> all;
  all.reserve(rows.size());
  for (const PointRow& row : rows) all.push_back(judge.judge(row));
  print_judgements(all, {}, remarks, options);
}

void write_time(const Setup& setup, const EstimatedTime& time, const EstimateOptions& options,
                std::ostream& text) {
  const EstimateTable table = time_table(time.time);
  text << '\n' << table.heading << ", " << time.words << "\n\n";
  write_table(table.table, options.format, text, options.output);
  if (const auto share = model_flops_utilization(setup, time.machine, time.time.all()))
    text << '\n' << utilization_words(*share) << '\n';
}

/// Empty where a time is known of the layout on that GPU.
std::string why_no_time(const ShownLayout& layout, const Hardware& hardware) {
  if (!layout.untimed.empty())
    return fmt::format("how fast it is with {} is not known", join(layout.untimed, ", "));
  const std::string why = why_no_time(layout.setup);
  return why.empty() ? hardware.why_no_machine : why;
}

/// Nothing where none is known. Errors: as machine_of().
std::optional<EstimatedTime> time_of(const ShownLayout& layout, const Hardware& hardware) {
  if (!hardware.accelerator || !why_no_time(layout, hardware).empty()) return std::nullopt;
  const Setup& setup = layout.setup;
  const Machine machine = machine_of(*hardware.accelerator, hardware.node_gb_per_s);
  const KnownRates& known = hardware.known;
  const double half_width = half_width_of(known, setup, machine);
  return EstimatedTime{step_time(setup, machine, known.rates), machine, half_width,
                       words_on_rates(hardware.cluster, known, half_width)};
}

/// That makes this page again.
std::string command_of(const EstimateOptions& options) {
  std::vector<std::string> words{"pippin", "estimate"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  const auto add_number = [&](const char* option, const auto& value) {
    if (value) add(option, fmt::format("{}", *value));
  };
  words.insert(words.end(), options.what.begin(), options.what.end());
  add_number("--gpus", options.gpus);
  add_number("--gpus-per-node", options.gpus_per_node);
  add("--accelerator", options.accelerator);
  add("--cluster", options.cluster);
  add_number("--node-gb-per-s", options.node_gb_per_s);
  add("--points", options.points.string());
  add("--calibrate-on", options.calibrate_on.string());
  add("--format", options.format);
  if (!options.arguments.empty()) words.emplace_back("--");
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  for (std::string& word : words) word = bash_word(word);
  return join(words, " ");
}

/// Of a page of many layouts.
std::string title_of(const EstimateOptions& options) {
  constexpr std::size_t kLongest = 80;
  if (!options.points.empty()) return options.points.filename().string();
  if (options.what.size() == 1) return fs::path(options.what.front()).filename().string();
  const std::string words = join(options.what, " ");
  return words.size() > kLongest ? "estimate" : words;
}

/// Nothing is said to fit that has arguments which change memory, nobody knows by how much.
std::string fit_words_of(const ShownLayout& layout, const Accelerator& accelerator) {
  std::string words = fit_words(layout.setup, accelerator);
  if (layout.unknown.empty()) return words;
  return fmt::format("not known with {}; without, {}", join(layout.unknown, ", "), words);
}

void print_sheet(const ShownLayout& layout, const Hardware& hardware,
                 const std::optional<EstimatedTime>& time, const EstimateOptions& options) {
  Page page;
  page.sheet = estimate_sheet(layout.setup, hardware.accelerator, time);
  page.sheet->parts.front().remarks = layout.remarks;
  page.kind = page.sheet->kind;
  page.title = layout.name;
  if (hardware.accelerator) page.said.push_back(fit_words_of(layout, *hardware.accelerator));
  if (time)
    page.said.push_back(
        fmt::format("an iteration takes {} s, {}", short_number(time->time.all()), time->words));
  else if (hardware.accelerator)
    page.said.push_back("no time of an iteration: " + why_no_time(layout, hardware));
  page.command = command_of(options);
  page.made_at = std::time(nullptr);
  print_page(page_document(page), options.output);
}

}  // namespace

Hardware hardware_of(const Cluster& cluster) {
  Hardware hardware;
  hardware.cluster = cluster.name;
  hardware.accelerator = cluster.accelerator;
  if (cluster.gpus_per_node > 0) hardware.gpus_per_node = cluster.gpus_per_node;
  hardware.known = rates_of(cluster);
  hardware.node_gb_per_s = hardware.known.node_gb_per_s;
  return hardware;
}

void take_options(const EstimateOptions& options, Hardware& hardware) {
  if (options.gpus_per_node) hardware.gpus_per_node = options.gpus_per_node;
  if (options.node_gb_per_s) hardware.node_gb_per_s = options.node_gb_per_s;
  if (options.accelerator.empty()) return;
  const Accelerator named =
      accelerator_named(text_written_at("--accelerator", options.accelerator));
  // The cluster's rates are shares of what its own GPUs can do.
  const bool is_another = hardware.accelerator && hardware.accelerator->name != named.name;
  if (is_another) hardware.node_gb_per_s = options.node_gb_per_s;
  if (is_another || hardware.known.are_usual) hardware.known = usual_rates(named);
  hardware.accelerator = named;
}

void print_figures_of_tool(const Setup& setup, const EstimateOptions& options) {
  const std::string why_not = unknown_to_analysis_tool(setup);
  if (!why_not.empty())
    bad_input("estimate --compat: the analysis tool says nothing of this: {}", why_not);
  print_table(figures_table(analysis_tool_figures(setup)), options.format, options.output);
}

void print_estimate(const ShownLayout& layout, const Hardware& hardware,
                    const EstimateOptions& options) {
  const Setup& setup = layout.setup;
  const auto time = time_of(layout, hardware);
  if (is_page_format(options.format)) return print_sheet(layout, hardware, time, options);
  if (!is_for_people(options.format))
    return print_table(
        estimate_figures(
            setup, {hardware.accelerator, time,
                    hardware.accelerator ? why_no_time(layout, hardware) : "", layout.unknown}),
        options.format, options.output);
  std::ostringstream text;
  text << model_words(setup) << '\n' << layout_words(setup) << '\n' << state_account(setup) << '\n';
  if (hardware.accelerator) text << fit_words_of(layout, *hardware.accelerator) << '\n';
  for (const EstimateTable& one : estimate_tables(setup)) {
    text << '\n' << one.heading << "\n\n";
    write_table(one.table, options.format, text, options.output);
  }
  if (hardware.accelerator && !time)
    text << "\nno time of an iteration: " << why_no_time(layout, hardware) << '\n';
  if (time) write_time(setup, *time, options, text);
  const auto differences = where_analysis_tool_differs(setup);
  if (!differences.empty()) text << "\nMegatron's analysis tool (--compat) says otherwise:\n";
  for (const auto& words : differences) text << "* " << words << '\n';
  print_text(text.str(), options.format, options.output);
}

void print_checkpoints(const NamedSetups& layouts, const EstimateOptions& options) {
  print_table(checkpoint_sizes_table(layouts, options.storage_gb_per_s), options.format,
              options.output);
}

void print_judgements(const std::vector<PointJudgement>& all, std::vector<PageAxis> axes,
                      const std::vector<std::string>& remarks, const EstimateOptions& options) {
  if (!is_page_format(options.format))
    return print_table(judgements_table(all), options.format, options.output);
  FlatPage page = judgements_page(all);
  page.title = title_of(options);
  page.command = command_of(options);
  page.made_at = std::time(nullptr);
  page.axes = std::move(axes);
  page.table.remarks = remarks;
  print_page(flat_page_document(page), options.output);
}

ExitCode estimate(const Globals& globals, const EstimateOptions& options) {
  // Before anything is read.
  if (is_page_format(options.format) && (options.compat || options.checkpoints))
    bad_input("estimate: {} has no page: --format terminal, markdown, csv or json",
              options.compat ? "--compat" : "--checkpoints");
  if (!options.what.empty()) return estimate_sweep(globals, options);
  if (!options.points.empty()) {
    print_points(globals, options);
    return ExitCode::kDone;
  }
  Hardware hardware;
  if (!options.cluster.empty()) hardware = hardware_of(cluster_named(options.cluster, "--cluster"));
  take_options(options, hardware);
  const NamedValues arguments = arguments_of_words(options.arguments);
  MegatronSetup read = megatron_setup(
      arguments, options.gpus, hardware.gpus_per_node,
      hardware.accelerator ? generation_of(*hardware.accelerator) : usual_generation(arguments));
  check_typed_launch(arguments, read.setup);
  doubt_strangers(arguments, read);
  auto remarks = what_was_taken(read);
  if (!hardware.accelerator && read.setup.fp8 != Fp8::kNone)
    remarks.insert(
        remarks.begin(),
        fmt::format("assumed: a GPU of {}'s kind, as earlier ones do not multiply in 8 bits; "
                    "--accelerator names yours",
                    read.setup.generation == Generation::kBlackwell ? "Blackwell" : "Hopper"));
  for (const auto& words : remarks) remark(globals, words);
  if (options.checkpoints) {
    print_checkpoints({{layout_words(read.setup), read.setup}}, options);
    return ExitCode::kDone;
  }
  options.compat ? print_figures_of_tool(read.setup, options)
                 : print_estimate({read.setup, "estimate", remarks, read.unknown, read.untimed},
                                  hardware, options);
  return ExitCode::kDone;
}

}  // namespace pippin
