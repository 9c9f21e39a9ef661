// SPDX-License-Identifier: Apache-2.0
#include "probes/common/megatron.h"

#include <algorithm>
#include <cmath>
#include <strings.h>

#include "probes/common/text.h"

namespace pippin::probes {

namespace {

constexpr int kFormatVersion = 1;  ///< LOG_FORMAT.md

long long wide(std::int64_t number) { return number; }

/// Megatron prints one decimal; a step of a few milliseconds would lose its spread to that, so a
/// short one has more, and at least five digits.
int decimals_of(double milliseconds) {
  if (milliseconds >= 1000.0) return 1;
  return milliseconds >= 10.0 ? 3 : 4;
}

}  // namespace

std::string iteration_line(const IterationReport& r) {
  std::string line = text(" iteration %8lld/%8lld |", wide(r.iteration), wide(r.iterations));
  line += text(" consumed samples: %12lld |", wide(r.consumed_samples));
  line += text(" elapsed time per iteration (ms): %.*f |", decimals_of(r.elapsed_ms), r.elapsed_ms);
  line += text(" learning rate: %.3E |", r.learning_rate);
  line += text(" global batch size: %5lld |", wide(r.global_batch_size));
  if (r.lm_loss) line += text(" lm loss: %.6E |", *r.lm_loss);
  line += text(" loss scale: %.1f |", r.loss_scale);
  if (r.grad_norm) line += text(" grad norm: %.3f |", *r.grad_norm);
  line += text(" number of skipped iterations: %3lld |", wide(r.skipped));
  return line + text(" number of nan iterations: %3lld |", wide(r.nan));
}

std::string times_line(const Times& times) {
  std::string line = "time (ms)";
  for (const auto& entry : times) line += text(" | %s: %.2f", entry.first.c_str(), entry.second);
  return line;
}

std::string memory_line(std::int64_t rank, std::int64_t iteration, const MemoryReport& memory) {
  std::string line =
      text("[Rank %lld] (after %lld iterations) memory (MB)", wide(rank), wide(iteration));
  line += " | allocated: " + python_number(memory.allocated_mib);
  line += " | max allocated: " + python_number(memory.max_allocated_mib);
  line += " | reserved: " + python_number(memory.reserved_mib);
  return line + " | max reserved: " + python_number(memory.max_reserved_mib);
}

std::string parameters_line(std::int64_t tp_rank, std::int64_t stage, std::int64_t count) {
  return text(
      " > number of parameters on (tensor, pipeline) model parallel rank (%lld, %lld): %lld",
      wide(tp_rank), wide(stage), wide(count));
}

std::string datetime_line(const std::string& moment) {
  return "[" + moment + "] datetime: " + local_time("%Y-%m-%d %H:%M:%S ");
}

std::vector<std::string> validation_lines(std::int64_t iteration, double lm_loss) {
  const std::string line =
      text(" validation loss at iteration %lld | lm loss value: %.6E | lm loss PPL: %.6E | ",
           wide(iteration), lm_loss, std::exp(std::min(20.0, lm_loss)));
  const std::string rule(line.size() + 1, '-');
  return {rule, line, rule};
}

std::vector<std::string> checkpoint_lines(std::int64_t iteration, double milliseconds) {
  return {
      text("saving checkpoint at iteration %7lld to checkpoints", wide(iteration)),
      text("  successfully saved checkpoint at iteration %7lld to checkpoints", wide(iteration)),
      times_line({{"save-checkpoint", milliseconds}})};
}

namespace {

std::string torch_type(const Setup& s) {
  if (s.precision == "bf16") return "torch.bfloat16";
  return s.precision == "fp16" ? "torch.float16" : "torch.float32";
}

Arguments setup_arguments(const Setup& s) {
  const auto whole = [](std::int64_t number) { return std::to_string(number); };
  return {
      {"bf16", s.precision == "bf16" ? "True" : "False"},
      {"data_parallel_size", whole(s.dp)},
      {"encoder_seq_length", whole(s.seq)},
      {"ffn_hidden_size", whole(s.ffn_width())},
      {"fp16", s.precision == "fp16" ? "True" : "False"},
      {"global_batch_size", whole(s.gbs())},
      {"hidden_size", whole(s.hidden)},
      {"kv_channels", whole(s.hidden / s.heads)},
      {"log_interval", whole(s.log_interval)},
      {"lr", python_number(s.lr)},
      {"make_vocab_size_divisible_by", "128"},
      {"max_position_embeddings", whole(s.seq)},
      {"micro_batch_size", whole(s.mbs)},
      {"model_style", s.style},
      {"num_attention_heads", whole(s.heads)},
      {"num_layers", whole(s.layers)},
      {"num_query_groups", whole(s.groups())},
      {"padded_vocab_size", whole(padded_vocab(s))},
      {"params_dtype", torch_type(s)},
      {"pipeline_model_parallel_size", whole(s.pp)},
      {"rank", "0"},
      {"recompute_granularity", s.recompute == "none" ? "None" : s.recompute},
      {"reduce_bucket_size", whole(s.reduce_bucket_size)},
      {"zero_stage", s.zero},
      {"seed", whole(s.seed)},
      {"seq_length", whole(s.seq)},
      {"sequence_parallel", s.sequence_parallel == "1" ? "True" : "False"},
      {"tensor_model_parallel_size", whole(s.tp)},
      {"train_iters", whole(s.iterations)},
      {"vocab_size", whole(s.vocab)},
      {"world_size", whole(s.world())},
  };
}

bool before(const Arguments::value_type& a, const Arguments::value_type& b) {
  return ::strcasecmp(a.first.c_str(), b.first.c_str()) < 0;
}

void print_arguments(Log& log, Arguments arguments) {
  constexpr std::size_t kColumn = 48;
  std::sort(arguments.begin(), arguments.end(), before);
  log.line("------------------------ arguments ------------------------");
  for (const auto& argument : arguments) {
    const std::size_t dots = kColumn - std::min(kColumn, argument.first.size());
    log.line("  " + argument.first + " " + std::string(dots, '.') + " " + argument.second);
  }
  log.line("-------------------- end of arguments ---------------------");
}

}  // namespace

void print_header(Log& log, const std::string& probe, const Setup& s, const Arguments& own) {
  log.line(text(" > probe: pippin %s %d", probe.c_str(), kFormatVersion));
  log.line(
      text("using world size: %lld, data-parallel-size: %lld, tensor-model-parallel size: %lld, "
           "pipeline-model-parallel size: %lld ",
           wide(s.world()), wide(s.dp), wide(s.tp), wide(s.pp)));
  log.line("using " + torch_type(s) + " for parameters ...");
  Arguments arguments = setup_arguments(s);
  arguments.insert(arguments.end(), own.begin(), own.end());
  arguments.emplace_back("probe", probe);
  print_arguments(log, arguments);
  log.line(text("setting number of micro-batches to constant %lld", wide(s.gas)));
  log.line(text(" > padded vocab (size: %lld) with %lld dummy tokens (new size: %lld)",
                wide(s.vocab), wide(padded_vocab(s) - s.vocab), wide(padded_vocab(s))));
}

}  // namespace pippin::probes
