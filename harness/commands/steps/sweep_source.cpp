// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/sweep_source.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/jobs/quoting.h"
#include "harness/commands/steps/ask_probe.h"
#include "harness/commands/steps/predicted_run_time.h"
#include "harness/commands/steps/runnable_points.h"
#include "harness/scrape/line_patterns.h"
#include "sweeps/machines.h"
#include "sweeps/sweep_file.h"

namespace pippin {

namespace {

/// Where a cluster has GPUs, and a probe of ours would compute on its processors.
void tell_idle_gpus(const Globals& globals, const Sweep& sweep) {
  const Accelerator& accelerator = sweep.cluster.accelerator;
  if (!computes_on_processors(sweep) || generation_of(accelerator) == Generation::kOther) return;
  if (std::none_of(sweep.points.begin(), sweep.points.end(),
                   [](const Point& point) { return find_value(point.axes, "device"); }))
    remark(globals,
           fmt::format("{} computes on the processors of {}; for its GPUs ({}) say fixed: "
                       "{{device: cuda}}",
                       sweep.trainer.probe, printable(sweep.cluster.name), accelerator.name));
}

}  // namespace

Sweep load_sweep(const Globals& globals, const SweepSource& source) {
  Sweep sweep = source.file.empty() ? load_sweep(source.words)
                                    : load_sweep(source.file, ask_probes_here(globals));
  try {
    patterns_in(sweep.trainer.scrape);
  } catch (const PatternError& error) {
    if (source.file.empty()) throw;
    bad_input("{}:{}: {}", source.file.string(), sweep.trainer.scrape_lines.at(error.place()),
              error.what());
  }
  if (source.is_judged_later) return sweep;
  if (!source.keep_infeasible)
    if (const std::string unknown = drop_what_cannot_run(sweep); !unknown.empty())
      remark(globals, unknown);
  predict_run_time(sweep);
  tell_idle_gpus(globals, sweep);
  return sweep;
}

std::string bash_words(const SweepSource& source) {
  std::string text = source.keep_infeasible ? "--keep-infeasible " : "";
  if (!source.file.empty()) return text + bash_word(source.file.string());
  const SweepWords& words = source.words;
  for (const auto& [name, values] : words.axes) {
    text += fmt::format("-L {} {} ", bash_word(name), bash_word(values));
  }
  for (const auto& word : words.fixed) text += fmt::format("--fixed {} ", bash_word(word));
  for (const auto& word : words.derived) text += fmt::format("--derive {} ", bash_word(word));
  for (const auto& word : words.scrape) text += fmt::format("--scrape {} ", bash_word(word));
  for (const auto& clause : words.where) text += fmt::format("--where {} ", bash_word(clause));
  for (const auto& word : sweep_words()) {
    const auto& value = words.*word.field;
    if (value) text += fmt::format("{} {} ", word.option, bash_word(*value));
  }
  return text + "-- " + bash_word(words.command);
}

}  // namespace pippin
