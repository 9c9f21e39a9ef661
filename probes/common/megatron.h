// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "probes/common/log.h"
#include "probes/common/setup.h"

namespace pippin::probes {

// Megatron-LM's log lines of 2020-2023, one function each; LOG_FORMAT.md describes them.
// Source: Megatron-LM v2.2, megatron/training.py, arguments.py, checkpointing.py, utils.py.

/// Arguments by Megatron's names, values as Python prints them.
using Arguments = std::vector<std::pair<std::string, std::string>>;
using Times = std::vector<std::pair<std::string, double>>;  ///< milliseconds per iteration

/// One iteration line; the means over the iterations since the line before.
struct IterationReport {
  std::int64_t iteration = 0, iterations = 0;
  std::int64_t consumed_samples = 0;
  double elapsed_ms = 0;  ///< per iteration
  double learning_rate = 0;
  std::int64_t global_batch_size = 0;
  std::optional<double> lm_loss;    ///< nothing where every step was skipped
  std::optional<double> grad_norm;  ///< of the last step; nothing where it was skipped
  double loss_scale = 1;            ///< of the next step
  std::int64_t skipped = 0, nan = 0;
};

struct MemoryReport {
  double allocated_mib = 0, max_allocated_mib = 0, reserved_mib = 0, max_reserved_mib = 0;
};

std::string iteration_line(const IterationReport& report);
std::string times_line(const Times& times);
std::string memory_line(std::int64_t rank, std::int64_t iteration, const MemoryReport& memory);
std::string parameters_line(std::int64_t tp_rank, std::int64_t stage, std::int64_t count);
/// "[the moment] datetime: 2021-05-23 08:41:05 ", local time.
std::string datetime_line(const std::string& moment);
std::vector<std::string> validation_lines(std::int64_t iteration, double lm_loss);
std::vector<std::string> checkpoint_lines(std::int64_t iteration, double milliseconds);

/// Everything before the model is built: the probe's name and version, the world, the arguments'
/// dump (`own` are the probe's, beside those of `setup`), micro-batches and the vocabulary.
void print_header(Log& log, const std::string& probe, const Setup& setup, const Arguments& own);

}  // namespace pippin::probes
