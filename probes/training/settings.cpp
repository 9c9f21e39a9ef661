// SPDX-License-Identifier: Apache-2.0
#include "probes/training/settings.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "probes/comm/session.h"
#include "probes/common/error.h"
#include "probes/common/text.h"
#include "probes/device/arithmetic.h"
#include "probes/device/kernels.h"
#include "probes/device/matmul.h"
#include "probes/device/memory.h"
#include "probes/training/layout.h"

namespace pippin::probes {

OptionTable training_options(TrainingSettings& s) {
  OptionTable table = setup_options(s.setup);
  table.push_back(number_option("--weight-decay", s.optimizer.weight_decay, 0.0, 1e6,
                                "AdamW's weight decay, of matrices only"));
  table.push_back(number_option("--clip-grad", s.optimizer.clip_grad, 0.0, 1e6,
                                "largest gradient norm; 0 is no clipping"));
  table.push_back(number_option("--loss-scale", s.loss_scale, 0.0, 1e12,
                                "fp16: a scale that stays; 0 is one that follows the gradients"));
  table.push_back(number_option("--initial-loss-scale", s.dynamic_scale.initial, 1.0, 1e12,
                                "fp16: where that one begins"));
  table.push_back(
      number_option("--min-loss-scale", s.dynamic_scale.smallest, 1e-12, 1e12, "fp16: its least"));
  table.push_back(whole_option("--loss-scale-window", s.dynamic_scale.window, 1, 1 << 30,
                               "fp16: finite gradients in a row after which it doubles"));
  table.push_back(whole_option("--hysteresis", s.dynamic_scale.hysteresis, 1, 1 << 30,
                               "fp16: overflows after which it halves"));
  table.push_back(choice_option("--device", s.device, {"cpu", "cuda"}, "what each rank runs on"));
  for (auto& option : backend_options(s.backend)) table.push_back(std::move(option));
  table.push_back(whole_option("--threads", s.threads, 1, 1024, "threads of each rank"));
  table.push_back(whole_option(
      "--memory-limit-mib", s.memory_limit_mib, 0, 1LL << 40,
      "memory of each rank; 0 is what its GPU has, or its share of what the node has free"));
  table.push_back(choice_option("--timing-log-level", s.timing_log_level, {"0", "1"},
                                "1 says where each rank's time goes"));
  table.push_back(word_option(
      "--trace", s.trace, "directory for a file of each rank: what it did when, as JSON lines"));
  return table;
}

void check(const TrainingSettings& settings, std::int64_t launched) {
  const Setup& s = settings.setup;
  check_setup(s);
  check_layout(s, launched);
  if (!settings.trace.empty() && settings.timing_log_level == "0")
    bad_input("--trace wants --timing-log-level 1");
  if (std::max(s.mbs * s.seq, padded_vocab(s)) > INT32_MAX)
    bad_input("--mbs x --seq and the padded vocabulary must stay below 2^31");
}

std::uint64_t memory_limit_bytes(const TrainingSettings& settings, std::uint64_t free, int ranks) {
  if (settings.memory_limit_mib == 0) return free / static_cast<std::uint64_t>(ranks);
  return static_cast<std::uint64_t>(settings.memory_limit_mib) << 20;
}

LossScaling loss_scaling(const TrainingSettings& settings) {
  if (settings.setup.precision != "fp16") return {};
  if (settings.loss_scale > 0) return {settings.loss_scale, settings.loss_scale, 0};
  return settings.dynamic_scale;
}

Arguments training_arguments(const TrainingSettings& settings) {
  const OptimizerSettings& o = settings.optimizer;
  return {
      {"adam_beta1", python_number(o.beta1)},
      {"adam_beta2", python_number(o.beta2)},
      {"adam_eps", python_number(o.epsilon)},
      {"attention_dropout", "0.0"},
      {"blas", matmul_library()},
      {"blas_core", matmul_core()},
      {"clip_grad", python_number(o.clip_grad)},
      {"device", settings.device},
      {"distributed_backend", settings.backend.backend},
      {"distributed_timeout_minutes", std::to_string(settings.backend.timeout_minutes)},
      {"hidden_dropout", "0.0"},
      {"hysteresis", std::to_string(settings.dynamic_scale.hysteresis)},
      {"init_method_std", "0.02"},
      {"initial_loss_scale", python_number(settings.dynamic_scale.initial)},
      {"layernorm_epsilon", python_number(kNormEpsilon)},
      {"loss_scale", settings.loss_scale > 0 ? python_number(settings.loss_scale) : "None"},
      {"loss_scale_window", std::to_string(settings.dynamic_scale.window)},
      {"lr_decay_style", "constant"},
      {"instructions", kernels_level()},
      {"memory_limit_mib", std::to_string(settings.memory_limit_mib)},
      {"min_loss_scale", python_number(settings.dynamic_scale.smallest)},
      {"mpi", Session::library()},
      {"optimizer", "adam"},
      {"threads", std::to_string(settings.threads)},
      {"timing_log_level", settings.timing_log_level},
      {"weight_decay", python_number(o.weight_decay)},
  };
}

}  // namespace pippin::probes
