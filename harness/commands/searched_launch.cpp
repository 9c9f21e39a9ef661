// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/searched_launch.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/commands/steps/output.h"
#include "reports/estimate.h"
#include "reports/values.h"
#include "sweeps/accelerators.h"
#include "sweeps/estimate/launch_checks.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/judge_points.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

void check_is_searched(const MegatronSetup& read) {
  if (!read.unknown.empty())
    bad_input("search: what {} needs of memory is not known", join(read.unknown, ", "));
  if (read.setup.layers_before)
    bad_input("search: --pipeline-model-parallel-layout is of one PP: leave it out");
  const Framework framework = read.setup.framework;
  if (framework != Framework::kMegatronCore && framework != Framework::kMegatron2023)
    bad_input(
        "search: it looks through the layouts of Megatron-LM from 2023 on; the launch is of {}",
        name_of(framework));
  if (const std::string why = why_no_time(read.setup); !why.empty())
    bad_input("search: no time is known: {}", why);
}

FoundLayout judged(const Setup& setup, const SearchSpace& space) {
  return {setup, step_time(setup, space.machine, space.rates).all(), needed_bytes(setup)};
}

/// With the options' GPUs and batch.
OwnLayout own_layout(const NamedValues& typed, const SearchSpace& space) {
  NamedValues arguments = typed;
  std::erase_if(arguments, [](const auto& one) { return one.first == "global_batch_size"; });
  arguments.emplace_back("global_batch_size", value_of(std::to_string(space.gbs)));
  try {
    const Setup setup =
        megatron_setup(arguments, space.gpus, space.base.gpus_per_node, space.base.generation)
            .setup;
    check_typed_launch(typed, setup);
    return {judged(setup, space), ""};
  } catch (const Error& error) {
    return {std::nullopt, reason_of(error)};
  }
}

}  // namespace

OwnLayout take_launch(const Globals& globals, const SearchOptions& options, const Cluster& cluster,
                      SearchSpace& space) {
  const NamedValues arguments = arguments_of_words(options.arguments);
  const Count gpus_per_node =
      cluster.gpus_per_node > 0 ? Count(cluster.gpus_per_node) : std::nullopt;
  MegatronModel model;
  try {
    model = megatron_model(arguments, gpus_per_node, generation_of(cluster.accelerator));
  } catch (const Error& error) {
    bad_input("search: {}", reason_of(error));
  }
  check_is_searched(model.read);
  for (const auto& words : what_was_taken(model.read)) remark(globals, words);
  space.base = model.read.setup;
  space.vocab_divisor = model.vocab_divisor;
  space.counts_embedding = model.counts_embedding;
  space.counts_loss = model.counts_loss;
  const Count gpus = options.gpus ? options.gpus : model.gpus;
  const Count gbs = options.gbs ? options.gbs : model.gbs;
  if (!gpus) bad_input("search: on how many GPUs? Say --gpus, or torchrun's words in the launch");
  if (!gbs) bad_input("search: how many sequences an iteration? Say --gbs");
  if (std::max(*gpus, *gbs) > kLargestCount)
    bad_input("search: {} GPUs and {} sequences: at most {} can be counted", *gpus, *gbs,
              kLargestCount);
  space.gpus = *gpus;
  space.gbs = *gbs;
  return own_layout(arguments, space);
}

std::string words_on_own(const FoundLayout& own, const SearchResult& result,
                         const SearchSpace& space) {
  std::string words =
      fmt::format("as launched, {}: {} s, {:.1f} GiB of {:.1f}{}", short_layout_words(own.setup),
                  short_number(own.seconds), own.needed_bytes / kGib, space.usable_bytes / kGib,
                  own.needed_bytes > space.usable_bytes ? ", which does not fit" : "");
  if (result.fitting == 0) return words;
  if (result.faster == 0) return words + "; none that fits is faster";
  const double saved = 1 - result.best.front().seconds / own.seconds;
  return words + fmt::format("; {} of {} that fit {} faster, the first by {:.0f} % of the time",
                             result.faster, result.fitting, result.faster == 1 ? "is" : "are",
                             100 * saved);
}

}  // namespace pippin
