#include "harness/commands/steps/fitting_points.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/script.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/judge_points.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

/// What begins an argument of Megatron's that changes memory, and that no estimate knows.
constexpr std::string_view kUnknown[] = {"cpu_offload",
                                         "optimizer_cpu_offload",
                                         "offload",
                                         "fp8",
                                         "fp4",
                                         "use_precision_aware",
                                         "exp_avg",
                                         "main_params",
                                         "main_grads",
                                         "recompute_modules",
                                         "multi_latent",
                                         "mtp_",
                                         "use_megatron",
                                         "use_torch_fsdp2",
                                         "use_custom_fsdp",
                                         "deepspeed",
                                         "zero_",
                                         "lora",
                                         "freeze",
                                         "init_model_with_meta",
                                         "empty_unused",
                                         "data_parallel_sharding",
                                         "pipeline_model_parallel_layout"};

bool is_unknown(const std::string& name) {
  return std::any_of(std::begin(kUnknown), std::end(kUnknown),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

/// The words of a command up to where bash does something else with them. What a variable holds is
/// a path or the like: where it holds the model, an estimate misses that.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string text = command;
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::string_view word : split(text, ' ')) {
    word = trim(word);
    if (word.empty() || word == "\\") continue;
    if (word.find_first_of("|;&<>") != std::string_view::npos) break;
    std::string plain;
    for (const char c : word)
      if (c != '\'' && c != '"') plain += c;
    words.push_back(plain.starts_with('$') ? "?" : plain);
  }
  return words;
}

/// Nothing where the command does not say it, or says what no estimate knows.
std::optional<Setup> setup_of(const Sweep& sweep, const Point& point) {
  const std::string command = script_run(sweep, point, PlannedRun(), 1, {}).command;
  NamedValues arguments = arguments_of_words(words_of(command));
  for (const auto& [name, value] : arguments)
    if (is_unknown(name)) return std::nullopt;
  // A vocabulary that nobody says condemns no point.
  if (!find_value(arguments, "vocab_size"))
    arguments.emplace_back("vocab_size",
                           value_of(static_cast<double>(point.model.vocab.value_or(1))));
  try {
    return megatron_setup(arguments, point.layout.gpus, sweep.cluster.gpus_per_node,
                          generation_of(sweep.cluster.accelerator))
        .setup;
  } catch (const Error&) {
    return std::nullopt;  // no arguments of Megatron's, or some that it would refuse itself
  }
}

/// Empty where it may fit.
std::string why_not(const Sweep& sweep, const Point& point) {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  const auto setup = setup_of(sweep, point);
  if (!setup) return "";
  const double needed = needed_bytes(*setup);
  const double usable =
      usable_bytes(setup->generation, sweep.cluster.accelerator.memory_gib.value_or(0));
  if (needed <= usable) return "";
  return fmt::format("memory: stage {} needs {:.1f} GiB of {:.1f}", largest_stage(*setup),
                     needed / kGib, usable / kGib);
}

bool may_be_megatron(const Sweep& sweep) {
  const std::string& command = sweep.trainer.command;
  return command.find("--num-layers") != std::string::npos && sweep.cluster.gpus_per_node > 0 &&
         sweep.cluster.accelerator.memory_gib.has_value();
}

/// Errors: Error (bad input) where all were dropped, or the one that each incomplete block
/// measures.
void check_what_remains(const Sweep& sweep, const std::vector<Point>& fitting,
                        const std::vector<DroppedPoint>& unfit) {
  if (fitting.empty())
    bad_input("{}: no point fits; of {} the first is dropped by '{}'; --keep-infeasible keeps them",
              printable(sweep.file.string()), unfit.size(), unfit.front().reason);
  for (const DroppedPoint& one : unfit) {
    if (one.point.id == sweep.reference)
      bad_input("{}: reference: {} is dropped by '{}'; choose another, or --keep-infeasible",
                printable(sweep.file.string()), printable(one.point.name), one.reason);
  }
}

}  // namespace

void drop_what_does_not_fit(Sweep& sweep) {
  if (!may_be_megatron(sweep)) return;
  std::vector<Point> fitting;
  std::vector<DroppedPoint> unfit;
  for (const Point& point : sweep.points) {
    std::string reason = why_not(sweep, point);
    if (reason.empty())
      fitting.push_back(point);
    else
      unfit.push_back({point, std::move(reason)});
  }
  check_what_remains(sweep, fitting, unfit);
  sweep.points = std::move(fitting);
  sweep.dropped.insert(sweep.dropped.end(), unfit.begin(), unfit.end());
}

}  // namespace pippin
