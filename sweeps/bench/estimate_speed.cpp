// SPDX-License-Identifier: Apache-2.0
// How many layouts a second one core judges: memory and time of GPT-3 175B's on 1,024 GPUs.
#include <chrono>
#include <cstdio>

#include "core/base/units.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/step_time.h"

int main() {
  using namespace pippin;
  Setup setup;
  Shape& m = setup.shape;
  m.layers = 96;
  m.hidden = 12288;
  m.heads = m.kv_heads = 96;
  m.head_width = 128;
  m.ffn = 4 * 12288;
  m.seq = m.positions = 2048;
  setup.zero = 1;
  setup.attention = Attention::kFlash;
  const Machine machine{312, 312, 2039, 300, 200, 108};
  const Rates rates;
  const auto begin = std::chrono::steady_clock::now();
  std::int64_t count = 0;
  double best = 0, largest = 0;
  while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(2)) {
    for (setup.tp = 1; setup.tp <= 8; setup.tp *= 2) {
      m.vocab = (50257 + 128 * setup.tp - 1) / (128 * setup.tp) * 128 * setup.tp;
      for (setup.pp = 1; setup.pp <= 32; setup.pp *= 2) {
        setup.dp = 1024 / setup.tp / setup.pp;
        for (setup.mbs = 1; setup.mbs <= 8; setup.mbs *= 2) {
          setup.gas = std::max<std::int64_t>(1536 / setup.dp / setup.mbs, 1);
          for (const Recompute recompute :
               {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
            setup.recompute = recompute;
            largest = std::max(largest, needed_bytes(setup));
            const double seconds = step_time(setup, machine, rates).all();
            if (best == 0 || seconds < best) best = seconds;
            ++count;
          }
        }
      }
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.0f layouts a second (fastest %.2f s, largest %.0f GiB)\n",
              static_cast<double>(count) / took.count(), best, largest / kGib);
}
