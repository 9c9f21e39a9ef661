// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/scrape/scalars.h"

namespace pippin {

namespace {

// Source: github.com/NVIDIA/Megatron-LM, training.py, 2019-2026, and its forks by BigScience and
// Argonne (tags in groups).
ScalarNames megatron() {
  return {.trainer = "megatron",
          .times = ScalarTimes::kMeanOfInterval,
          .seconds = {"iteration-time", "iteration-time/iteration-time"},
          .loss = {"lm loss", "lm-loss-training/lm loss", "lm-loss-training/lm-loss"},
          .grad_norm = {"grad-norm", "grad-norm/grad-norm"},
          .learning_rate = {"learning-rate", "learning-rate/learning-rate"},
          .loss_scale = {"loss-scale", "loss-scale/loss-scale"},
          .batch = {"batch-size", "batch-size/batch-size"},
          .evaluated_before = " validation"};
}

// Source: github.com/EleutherAI/gpt-neox, megatron/logging.py.
ScalarNames gpt_neox() {
  return {.trainer = "gpt-neox",
          .times = ScalarTimes::kMeanOfInterval,
          .seconds = {"runtime/iteration_time"},
          .loss = {"train/lm_loss"},
          .grad_norm = {"train/grad_norm"},
          .learning_rate = {"train/learning_rate"},
          .loss_scale = {"train/loss_scale"}};
}

// Source: github.com/NVIDIA/NeMo, exp_manager.py, TimingCallback: of the one step at which it is
// written, whatever the interval.
ScalarNames nemo() {
  return {.trainer = "nemo",
          .seconds = {"train_step_timing in s"},
          .loss = {"reduced_train_loss"},
          .grad_norm = {"grad_norm"},
          .learning_rate = {"lr"},
          .batch = {"global_batch_size"},
          .samples = {"consumed_samples"}};
}

// Steps are dispatched asynchronously: the first one's time is the compiler's, the next ones'
// less than they take.
// Source: github.com/AI-Hypercomputer/maxtext, metric_logger.py.
ScalarNames maxtext() {
  return {.trainer = "maxtext",
          .startup_steps = 3,
          .seconds = {"perf/step_time_seconds"},
          .loss = {"learning/loss"},
          .grad_norm = {"learning/grad_norm"},
          .learning_rate = {"learning/current_learning_rate"}};
}

// Source: github.com/pytorch/torchtitan, torchtitan/components/metrics.py.
ScalarNames torchtitan() {
  return {.trainer = "torchtitan",
          .times = ScalarTimes::kMeanOfInterval,
          .seconds = {"time_metrics/end_to_end(s)"},
          .loss = {"loss_metrics/global_avg_loss"},
          .grad_norm = {"grad_norm"},
          .learning_rate = {"lr"},
          .divides_first = true};
}

// Source: github.com/volcengine/verl, verl/trainer/ppo/ray_trainer.py.
ScalarNames verl() {
  return {.trainer = "verl",
          .seconds = {"timing_s/step"},
          .grad_norm = {"actor/grad_norm"},
          .learning_rate = {"actor/lr"},
          .saved_in = "timing_s/save_checkpoint",
          .evaluated_in = "timing_s/testing"};
}

const std::vector<ScalarNames>& all_names() {
  static const std::vector<ScalarNames> kNames{megatron(), gpt_neox(),   nemo(),
                                               maxtext(),  torchtitan(), verl()};
  return kNames;
}

}  // namespace

const ScalarNames* names_of(const std::vector<std::string>& tags) {
  for (const auto& names : all_names()) {
    for (const auto name : names.seconds) {
      if (std::find(tags.begin(), tags.end(), name) != tags.end()) return &names;
    }
  }
  return nullptr;
}

}  // namespace pippin
