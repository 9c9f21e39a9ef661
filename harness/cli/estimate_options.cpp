// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/command_line.h"

namespace pippin {

CLI::Option* add_network_option(CLI::App& command, std::optional<double>& node_gb_per_s) {
  CLI::Option* option = command.add_option(
      "--node-gb-per-s", node_gb_per_s,
      "of a node to the others, one way, all adapters together; else as such GPUs' usual nodes");
  check_positive(*option->type_name("GB/S"));
  return option;
}

namespace {

/// An option that counts something.
template <typename Number>
CLI::Option* add_number(CLI::App& command, const char* name, Number& value, const char* help) {
  CLI::Option* option = command.add_option(name, value, help)->type_name("N");
  check_count(*option, 1);
  return option;
}

/// Layouts that are no arguments of Megatron's say theirs themselves.
[[noreturn]] void refuse_gpus(const EstimateOptions& options) {
  if (options.what.front().find('=') == std::string::npos)
    bad_input("estimate: the sweep says its GPUs: leave out --gpus");
  bad_input("estimate: write gpus={0} instead of --gpus {0}", *options.gpus);
}

}  // namespace

void add_estimate_command(CommandLine& line) {
  const auto options = std::make_shared<EstimateOptions>();
  CLI::App& command = line.add(
      "estimate", "memory and traffic of a layout, before it runs",
      "pippin estimate --gpus 16 -- --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
      "--seq-length 2048 --micro-batch-size 4 --bf16",
      [&line, options] { return estimate(line.globals(), *options); });
  line.let_take_words(command, [options](const std::vector<std::string>& words) {
    options->arguments = words;
    const int sources = !words.empty() + !options->points.empty() + !options->what.empty();
    if (sources != 1)
      bad_input(
          "estimate wants one of SWEEP.yaml, NAME=VALUES, Megatron's arguments behind '--', and "
          "--points FILE; see pippin estimate --help");
    if (!options->what.empty() && options->gpus) refuse_gpus(*options);
    const bool is_of_arguments = options->compat || options->gpus || options->gpus_per_node ||
                                 options->node_gb_per_s || !options->accelerator.empty() ||
                                 !options->cluster.empty();
    if (!options->points.empty() && is_of_arguments)
      bad_input(
          "estimate --points: each row says its own GPUs, and --compat is of arguments alone");
    if (options->checkpoints && (options->compat || !options->points.empty()))
      bad_input("estimate: --checkpoints goes with neither --compat nor --points");
    if (options->storage_gb_per_s && !options->checkpoints)
      bad_input("estimate: --storage-gb-per-s is of --checkpoints");
    if (options->points.empty() && !options->calibrate_on.empty())
      bad_input("estimate --calibrate-on learns for --points; see pippin estimate --help");
  });
  command.add_option(
      "WHAT", options->what,
      "SWEEP.yaml, and the name of a point or none; or model and layout in the names "
      "of sweeps: size=52B gpus=64 tp=2,4 pp=8 mbs=4 gbs=1024 zero=1");
  add_number(command, "--gpus", options->gpus, "how many there are; else as torchrun's words say");
  add_number(command, "--gpus-per-node", options->gpus_per_node, "as torchrun's words say, or 8");
  command
      .add_option("--accelerator", options->accelerator,
                  "which GPU, as cluster files name it: whether it fits, and how long it takes")
      ->type_name("NAME");
  command
      .add_option("--cluster", options->cluster,
                  "a cluster's name or file: its GPU, GPUs per node and rates")
      ->type_name("CLUSTER");
  add_network_option(command, options->node_gb_per_s);
  command
      .add_option(
          "--points", options->points,
          "instead of arguments a table of layouts, a row each; columns as in docs/estimate.md")
      ->type_name("FILE");
  command
      .add_option("--calibrate-on", options->calibrate_on,
                  "with --points: a table with measured times, from which each cluster's rates are "
                  "learned")
      ->type_name("FILE");
  command.add_flag("--compat", options->compat,
                   "the figures that Megatron-LM's analysis tool prints, its mistakes included");
  command.add_flag("--checkpoints", options->checkpoints,
                   "instead: the sizes of checkpoints, and of each rank's part");
  check_positive(
      *command
           .add_option("--storage-gb-per-s", options->storage_gb_per_s,
                       "with --checkpoints: of the storage, for the time that a write takes")
           ->type_name("GB/S"));
  add_page_format(command, options->format, options->output);
}

void add_calibrate_command(CommandLine& line) {
  const auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command =
      line.add("calibrate", "a cluster's rates by what was measured on it: links, products, runs",
               "pippin --db notes.db calibrate quickstart",
               [&line, options] { return calibrate(line.globals(), *options); });
  command.add_option("SWEEP", options->selections,
                     "sweeps with all their campaigns, campaigns (SWEEP/2), tags, or 'collected' "
                     "for logs that no sweep made; default: all there is");
  command
      .add_option("--cluster", options->cluster,
                  "whose rates: a cluster's name or file; other clusters' runs are left out")
      ->type_name("CLUSTER");
  command
      .add_option("--accelerator", options->accelerator, "the GPU of runs that do not know theirs")
      ->type_name("ACCELERATOR");
  add_network_option(command, options->node_gb_per_s);
  command
      .add_option("--write", options->write,
                  "write what was learned as the 'rates:' of a cluster file")
      ->type_name("FILE");
  command.add_option("--format", options->format, "terminal, markdown, csv or json")
      ->capture_default_str()
      ->type_name("FORMAT");
}

void add_search_command(CommandLine& line) {
  const auto options = std::make_shared<SearchOptions>();
  CLI::App& command =
      line.add("search", "all layouts of a model on so many GPUs, the fastest that fits first",
               "pippin search polaris-a100-40g 6.7B --gpus 64 --gbs 512",
               [&line, options] { return search(line.globals(), *options); });
  line.let_take_words(command, [options](const std::vector<std::string>& words) {
    options->arguments = words;
    if (options->model.empty() == words.empty())
      bad_input(
          "search wants a MODEL, or Megatron's arguments behind '--'; see pippin search --help");
    if (words.empty() && !(options->gpus && options->gbs))
      bad_input("search: a MODEL wants --gpus and --gbs; see pippin search --help");
    if (!words.empty() && options->seq)
      bad_input("search: the launch says its sequence, and --seq is of a MODEL");
    if (!words.empty() && !options->sweep.empty())
      bad_input("search: --sweep is of a MODEL, which sweeps know by its size");
  });
  command.add_option("CLUSTER", options->cluster, "a cluster's name or file")->required();
  command.add_option(
      "MODEL", options->model,
      "a size that sweeps know, such as 175B; else Megatron's arguments behind '--'");
  add_number(command, "--gpus", options->gpus, "how many; else as the launch says");
  add_number(command, "--gbs", options->gbs, "sequences of an iteration; else as the launch says");
  add_number(command, "--seq", options->seq, "tokens of a sequence; else as the model has it");
  add_network_option(command, options->node_gb_per_s);
  add_number(command, "--top", options->top, "how many to show")->capture_default_str();
  command.add_option("--sweep", options->sweep, "write the best, too, as a sweep file")
      ->type_name("FILE");
  add_page_format(command, options->format, options->output);
}

}  // namespace pippin
