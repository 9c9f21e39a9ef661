// SPDX-License-Identifier: Apache-2.0
#include "core/base/files.h"
#include "harness/scrape/scrape.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

LogRun read_log(const fs::path& path) {
  const auto runs = scrape(read_input(path));
  REQUIRE(runs.size() == 1);
  return runs[0];
}

LogRun excerpt(const char* name) {
  return read_log(test::source_directory() / "tests/data/logs" / name);
}

double mean_ms(const LogRun& run) {
  double sum = 0;
  for (const auto& iteration : run.iterations) sum += iteration.step_time_ms;
  return sum / static_cast<double>(run.iterations.size());
}

}  // namespace

TEST_CASE("Megatron-LM of 2021 on 16 GPUs reads as its authors saw it") {
  const auto run = excerpt("megatron-2021-16-gpus.out");
  CHECK(run.format == "megatron");
  CHECK(run.point.trainer == "megatron");
  CHECK(run.point.name == "l40-h6144-tp4-pp4-dp1-mbs1-gas4");
  CHECK(run.point.layout.gpus == 16);
  CHECK(run.point.model.padded_vocab == 50688);
  CHECK(run.point.model.ffn == 24576);
  CHECK(run.recompute == "full");
  CHECK(run.iterations.size() == 20);
  CHECK(mean_ms(run) == Approx(1426.845));
  CHECK(run.iterations[10].flags == (kIntervalMean | kAfterEvaluation));
  CHECK(run.iterations[11].flags == kIntervalMean);
  CHECK(run.iterations[0].flags == (kFirst | kSkippedStep | kIntervalMean));
  CHECK(run.memory.size() == 8);
  CHECK(run.end == RunState::kCancelled);
  CHECK(run.started_at == 1621759264);  // 2021-05-23 08:41:04
}

TEST_CASE("Megatron-LM of 2021 on 64 GPUs reads as its authors saw it") {
  const auto run = excerpt("megatron-2021-64-gpus.out");
  CHECK(run.point.layout.pp == 16);
  CHECK(run.iterations.size() == 9);
  CHECK(mean_ms(run) == Approx(3089.244).epsilon(1e-6));
}

TEST_CASE("a log in which every step was skipped keeps its rows") {
  const auto run = excerpt("megatron-2021-all-skipped.out");
  CHECK(run.point.layout.gbs == 1024);
  CHECK(run.point.layout.gas == 256);
  CHECK(run.iterations.size() == 4);
  CHECK(mean_ms(run) == Approx(130343.55));
  for (const auto& iteration : run.iterations) CHECK((iteration.flags & kSkippedStep) != 0);
  CHECK(run.end == RunState::kTimeout);
}

TEST_CASE("Megatron-DeepSpeed's 3D run reads with its fields") {
  const auto run = excerpt("megatron-deepspeed-3d.out");
  CHECK(run.point.trainer == "megatron-deepspeed");
  CHECK(run.point.layout.gpus == 64);
  CHECK(run.iterations.size() == 12);
  CHECK(run.iterations[0].lm_loss == 12.44238);
  CHECK(run.iterations[1].flags == 0);
  CHECK_FALSE(run.end);
}

TEST_CASE("Megatron-DeepSpeed's ZeRO run of the older arguments reads") {
  const auto run = excerpt("megatron-deepspeed-zero.out");
  CHECK(run.point.name == "l64-h8192-tp4-pp1-dp16-mbs48-gas1-ds-zero3");
  CHECK(run.point.layout.gbs == 768);
  CHECK(run.point.layout.dp == 16);
  CHECK(run.iterations.size() == 4);
  CHECK(run.iterations[0].gbs == 768);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].max_allocated_mib == 26118.2294921875);
}

TEST_CASE("a run with DeepSpeed is another point than one without") {
  const auto plain = excerpt("megatron-2021-all-skipped.out"),
             deepspeed = excerpt("megatron-deepspeed-3d.out");
  CHECK(plain.point.layout == deepspeed.point.layout);
  CHECK(plain.point.id != deepspeed.point.id);
  CHECK(plain.point.name != deepspeed.point.name);
}

TEST_CASE("the whole logs of the experiments read as their excerpts") {
  const fs::path logs = test::source_directory() / "../shared/data/logs";
  if (!fs::exists(logs)) return test::skip(logs.string() + " is not here");
  const auto small = read_log(logs / "gpt2-meg/meg_gpt2_base_n4_dp1_tp4_pp4-1809579.out");
  CHECK(small.iterations.size() == 20);
  CHECK(mean_ms(small) == Approx(1426.845));
  CHECK(small.memory.size() == 16);
  const auto deep = read_log(logs / "gpt2-meg/meg_gpt2_base_n16_dp1_tp4_pp16-1809577.out");
  CHECK(mean_ms(deep) == Approx(3089.2444));
  CHECK(deep.memory.size() == 64);
  const auto skipped = read_log(logs / "gpt2-meg/meg_gpt2_perf_n16-1999618.out");
  CHECK(mean_ms(skipped) == Approx(130343.55));
  CHECK(read_log(logs / "gpt2-meg-ds-3d/meg_ds_3d_gpt2_perf_n16-ds-on.out").memory.size() == 64);
  CHECK(
      read_log(logs / "gpt2-meg-ds-zero/meg_ds_zero_gpt2_perf_n16-1999616.out").iterations.size() ==
      4);
  CHECK(scrape(read_input(logs / "../tables/gpt2.md")).empty());
  CHECK(scrape(read_input(logs / "bandwidth/n1_16gb_all_reduce_bench.txt")).empty());
}
