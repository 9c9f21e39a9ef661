// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/jobs/quoting.h"
#include "harness/commands/commands.h"
#include "harness/commands/searched_launch.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/print_table.h"
#include "reports/estimate.h"
#include "sweeps/accelerators.h"
#include "sweeps/cluster_file.h"
#include "sweeps/cluster_rates.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/search_layouts.h"
#include "sweeps/judge_points.h"
#include "sweeps/machines.h"
#include "sweeps/models.h"

namespace pippin {

namespace {

Model model_named(const SearchOptions& options) {
  auto model = find_model(options.model);
  if (!model)
    bad_input("search: unknown model '{}'{}", options.model,
              did_you_mean(options.model, model_names()));
  if (options.seq) model->seq = options.seq;
  return *model;
}

/// A cluster as a sweep file beside its place names it: a file's path begins at the sweep's folder.
std::string cluster_words(const SearchOptions& options) {
  if (!is_cluster_path(options.cluster)) return options.cluster;
  const fs::path folder = fs::absolute(options.sweep).parent_path();
  std::string path = fs::absolute(options.cluster).lexically_proximate(folder).string();
  if (path.find('/') == std::string::npos) path.insert(0, "./");
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

/// The same layout as the training probe runs it: it has no chunks, and keeps attention's scores.
Setup of_probe(Setup setup) {
  setup.framework = Framework::kProbe;
  setup.transformer_engine = setup.hidden_dropout = setup.attention_dropout = false;
  setup.attention = Attention::kScores;
  return setup;
}

/// Another one for each question, as a sweep's campaigns go on where they were.
std::string sweep_name(const SearchOptions& options) {
  return fmt::format("search-{}-gpus{}-gbs{}{}", lower(options.model), *options.gpus, *options.gbs,
                     options.seq ? fmt::format("-seq{}", *options.seq) : "");
}

/// As points of a sweep of the training probe.
std::string sweep_text(const SearchOptions& options, const std::vector<FoundLayout>& best) {
  std::string text = fmt::format(
      "# Written by pippin search: the fastest layouts of {} on {} GPUs that the probe fits in, "
      "in\n"
      "# the order of Megatron-Core's. Behind each what the probe needs, which keeps the scores.\n"
      "# For a trainer of your own put its command in place of the probe.\n"
      "sweep: {}\ncluster: {}\nprobe: training\nmodel: {{size: {}{}}}\ngpus: {}\n"
      "fixed: {{device: cuda, precision: {}}}\niterations: 20\nrepeats: {{allocations: "
      "3}}\npoints:\n",
      options.model, *options.gpus, sweep_name(options), cluster_words(options), options.model,
      options.seq ? fmt::format(", seq: {}", *options.seq) : "", *options.gpus,
      best.front().setup.type == NumberType::kFp16 ? "fp16" : "bf16");
  for (const FoundLayout& one : best) {
    const Setup& s = one.setup;
    text += fmt::format(
        "  - {{tp: {}, pp: {}, mbs: {}, gas: {}, zero: {}, sequence_parallel: {}, recompute: {}}}"
        "  # {:.1f} GiB\n",
        s.tp, s.pp, s.mbs, s.gas, s.zero, s.sequence_parallel ? 1 : 0, text_of(s.recompute),
        needed_bytes(of_probe(s)) / kGib);
  }
  return text;
}

void write_sweep(const SearchOptions& options, SearchSpace space) {
  if (space.base.generation == Generation::kOther)
    bad_input("search: --sweep: the training probe computes on NVIDIA's GPUs alone, from V100 on");
  space.for_probe = true;
  constexpr std::size_t kMost = 100'000;  // the fastest may not fit the probe
  SearchResult result = search_layouts(space, kMost);
  std::erase_if(result.best, [&](const FoundLayout& one) {
    return needed_bytes(of_probe(one.setup)) > space.usable_bytes;
  });
  result.best.resize(std::min(result.best.size(), static_cast<std::size_t>(options.top)));
  if (result.best.empty())
    bad_input(
        "search: none can be run by the training probe, which has no chunks, no CP, and keeps "
        "attention's scores");
  if (fs::exists(options.sweep))
    bad_input("search: {} is there already", printable(options.sweep.string()));
  disk().write(options.sweep, sweep_text(options, result.best));
}

/// That makes this page again.
std::string command_of(const SearchOptions& options) {
  std::string words = "pippin search " + bash_word(options.cluster);
  if (!options.model.empty()) words += ' ' + bash_word(options.model);
  if (options.gpus) words += fmt::format(" --gpus {}", *options.gpus);
  if (options.gbs) words += fmt::format(" --gbs {}", *options.gbs);
  if (options.seq) words += fmt::format(" --seq {}", *options.seq);
  if (options.node_gb_per_s) words += fmt::format(" --node-gb-per-s {}", *options.node_gb_per_s);
  words += fmt::format(" --top {} --format html", options.top);
  if (!options.arguments.empty()) words += " --";
  for (const std::string& one : options.arguments) words += ' ' + bash_word(one);
  return words;
}

/// Empty where all leave enough of the memory.
std::string words_on_margin(const SearchResult& result, double usable_bytes) {
  const auto tight = std::count_if(
      result.best.begin(), result.best.end(),
      [&](const FoundLayout& one) { return leaves_little(one.needed_bytes, usable_bytes); });
  if (tight == 0) return "";
  return fmt::format("{} of these {} {}", tight, tight == 1 ? "leaves" : "leave", kLittleLeft);
}

/// Errors: Error (bad input) where a sweep is to be written that the cluster has too few GPUs for.
void check_size(const Globals& globals, const SearchOptions& options, std::int64_t gpus,
                const Cluster& cluster) {
  const std::int64_t all = cluster.nodes * cluster.gpus_per_node;
  if (gpus <= all || all == 0) return;
  const std::string words =
      fmt::format("cluster {} has {} x {} = {} GPUs, and not {}", printable(cluster.name),
                  cluster.nodes, cluster.gpus_per_node, all, gpus);
  if (!options.sweep.empty()) bad_input("search: {}: a sweep of them would have no point", words);
  remark(globals, words);
}

/// The machine, the rates, the model, its GPUs and its batch.
SearchSpace space_of(const Globals& globals, const SearchOptions& options, const Cluster& cluster,
                     const KnownRates& known, std::optional<OwnLayout>& own) {
  SearchSpace space;
  space.machine = machine_of(cluster.accelerator,
                             options.node_gb_per_s ? options.node_gb_per_s : known.node_gb_per_s);
  space.rates = known.rates;
  space.half_width = known.half_width;
  space.uncertainty = known.uncertainty;
  const Generation generation = generation_of(cluster.accelerator);
  space.usable_bytes = usable_bytes(generation, cluster.accelerator.memory_gib.value_or(0));
  if (options.model.empty()) {
    own = take_launch(globals, options, cluster, space);
  } else {
    if (cluster.gpus_per_node == 0)
      bad_input("search: cluster {} does not say its gpus_per_node", printable(cluster.name));
    space.base = usual_setup(generation, cluster.gpus_per_node);
    take_model(model_named(options), space.base);
    space.gpus = *options.gpus;
    space.gbs = *options.gbs;
  }
  return space;
}

}  // namespace

ExitCode search(const Globals& globals, const SearchOptions& options) {
  const bool is_page = is_page_format(options.format);  // known, before anything is read
  const Cluster cluster = cluster_named(options.cluster, "CLUSTER");
  const KnownRates known = rates_of(cluster);
  std::optional<OwnLayout> own;
  const SearchSpace space = space_of(globals, options, cluster, known, own);
  check_size(globals, options, space.gpus, cluster);
  SearchResult result = search_layouts(space, static_cast<std::size_t>(options.top),
                                       own && own->found ? own->found->seconds : 0);
  if (result.judged == 0)
    bad_input("search: no layout divides {} GPUs, {} sequences and the model", space.gpus,
              space.gbs);
  if (result.fitting == 0)
    bad_input("search: none of {} layouts fits; the least needs {:.1f} GiB of {:.1f}{}",
              result.judged, result.least_bytes / kGib, space.usable_bytes / kGib,
              own && own->found ? "; " + words_on_own(*own->found, result, space) : "");
  std::vector<std::string> said{
      fmt::format("{} layouts judged, {} fit", result.judged, result.fitting)};
  if (own && !own->found) said.push_back("the launch's own layout is not judged: " + own->why_not);
  for (const std::string& words : said) remark(globals, words);
  std::vector<std::string> compared;
  if (own && own->found) compared.push_back(words_on_own(*own->found, result, space));
  if (!known.are_usual) remark(globals, words_on_rates(cluster.name, known));
  if (!options.sweep.empty()) write_sweep(options, space);
  if (const std::string words = words_on_margin(result, space.usable_bytes); !words.empty())
    remark(globals, words);
  if (is_page) {
    FlatPage page = found_page(result, space);
    said.insert(said.end(), compared.begin(), compared.end());
    said.push_back(words_on_rates(cluster.name, known));
    page.said = std::move(said);
    page.title = fmt::format("{} on {} of {}", options.model.empty() ? "a launch" : options.model,
                             counted(space.gpus, "GPU"), printable(cluster.name));
    page.command = command_of(options);
    page.made_at = std::time(nullptr);
    print_page(flat_page_document(page), options.output);
  } else {
    FlatTable table = found_table(result, space);
    table.remarks = compared;
    print_table(table, options.format, options.output);
    if (!is_for_people(options.format))
      for (const std::string& words : compared) remark(globals, words);
  }
  return ExitCode::kDone;
}

}  // namespace pippin
