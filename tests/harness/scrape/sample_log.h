// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <string>

namespace pippin::test {

/// An arguments dump of Megatron-LM in 2021 with `more` lines of its own, on 4 GPUs.
inline std::string dump(const std::string& more = "") {
  return "using world size: 4, data-parallel-size: 1, tensor-model-parallel size: 2, "
         "pipeline-model-parallel size: 2 \n"
         "------------------------ arguments ------------------------\n"
         "  fp16 ............................................ True\n"
         "  global_batch_size ............................... 8\n"
         "  hidden_size ..................................... 64\n"
         "  micro_batch_size ................................ 2\n"
         "  num_attention_heads ............................. 4\n"
         "  num_layers ...................................... 2\n"
         "  pipeline_model_parallel_size .................... 2\n"
         "  rank ............................................ 0\n"
         "  seq_length ...................................... 32\n"
         "  tensor_model_parallel_size ...................... 2\n"
         "  world_size ...................................... 4\n" +
         more +
         "-------------------- end of arguments ---------------------\n"
         "setting number of micro-batches to constant 4\n"
         " > padded vocab (size: 50257) with 175 dummy tokens (new size: 50432)\n";
}

inline std::string argument(const std::string& name, const std::string& value) {
  return fmt::format("  {} {:.<{}} {}\n", name, "", 48 - name.size(), value);
}

/// The line of one iteration as Megatron-LM printed it in 2021.
inline std::string row(int number, double ms, int skipped = 0, int last = 1000) {
  return fmt::format(
      " iteration {:8}/{:8} | consumed samples: {:12} | elapsed time per iteration (ms): {:.1f} | "
      "learning rate: 1.500E-04 | global batch size: {:5} | lm loss: {:.6E} | loss scale: 16384.0 "
      "| grad norm: 9.804 | number of skipped iterations: {:3} | number of nan iterations:   0 |\n",
      number, last, 8 * number, ms, 8, 10.0 / number, skipped);
}

}  // namespace pippin::test
