// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/setup_of_point.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/script.h"
#include "harness/commands/steps/command_words.h"
#include "sweeps/estimate/launch_checks.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/layout_checks.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/vocabularies.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

bool is_probe(const Sweep& sweep) { return sweep.trainer.probe == "training"; }

bool is_megatron(const Sweep& sweep) {
  return sweep.trainer.command.find("--num-layers") != std::string::npos;
}

/// Whether the command's tokenizer says which vocabulary it has.
bool names_vocabulary(const NamedValues& arguments) {
  const Value* type = find_value(arguments, "tokenizer_type");
  const Value* model = find_value(arguments, "tokenizer_model");
  return (type || model) &&
         !vocabulary_of(type ? type->text : "", model ? model->text : "").whose.empty();
}

/// Errors: Error (bad input) where an argument is missing, or is one that no estimate knows.
SetupOfPoint of_command(const ScriptRun& run, const Sweep& sweep, const Point& point,
                        VocabularyUnsaid vocabulary) {
  NamedValues arguments = arguments_of_words(megatron_words(run.command, run.env));
  if (!find_value(arguments, "vocab_size")) {
    const bool is_least = vocabulary == VocabularyUnsaid::kLeast && !names_vocabulary(arguments);
    const Count vocab = is_least ? point.model.vocab.value_or(1) : point.model.vocab;
    if (vocab) arguments.emplace_back("vocab_size", value_of(static_cast<double>(*vocab)));
  }
  const MegatronSetup read =
      megatron_setup(arguments, point.layout.gpus, sweep.cluster.gpus_per_node,
                     generation_of(sweep.cluster.accelerator));
  check_typed_launch(arguments, read.setup);
  if (find_value(arguments, "deepspeed") && !find_value(arguments, "zero_stage"))
    bad_input("what DeepSpeed's configuration asks for is not known without --zero-stage");
  if (!read.unknown.empty()) bad_input("what {} takes is not known", read.unknown.front());
  const Value* iterations = find_value(arguments, "train_iters");
  const Count count = iterations ? parse_integer(iterations->text) : std::nullopt;
  return {read.setup, "", read.assumed, count, false, strangers_among(arguments, read)};
}

}  // namespace

bool has_setups(const Sweep& sweep) { return is_probe(sweep) || is_megatron(sweep); }

SetupOfPoint setup_of_point(const Sweep& sweep, const Point& point, VocabularyUnsaid vocabulary) {
  if (!has_setups(sweep))
    return {{}, "neither the probe training nor a command with Megatron's arguments", {}, {}};
  const auto gpus_per_node = std::max<std::int64_t>(sweep.cluster.gpus_per_node, 1);
  const ScriptRun run =
      is_probe(sweep) ? ScriptRun() : script_run(sweep, point, PlannedRun(), 1, {});
  try {
    if (is_probe(sweep)) return {probe_setup(point, gpus_per_node), "", {}, sweep.iterations};
    return of_command(run, sweep, point, vocabulary);
  } catch (const ImpossibleLayout& error) {
    return {{}, reason_of(error), {}, {}, true};
  } catch (const Error& error) {
    return {{}, reason_of(error), {}, {}};
  }
}

}  // namespace pippin
