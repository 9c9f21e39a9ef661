// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include "probes/common/error.h"
#include "probes/device/rounding.h"
#include "probes/training/profile.h"
#include "probes/training/settings.h"
#include "probes/training/trainer.h"
#include "tests/support/catch.h"

using namespace pippin::probes;

namespace {

/// The whole world on one rank.
template <typename T>
struct LoneTrainer {
  explicit LoneTrainer(const Setup& setup, std::int64_t threads = 1,
                       const LossScaling& scaling = {})
      : world(make_lone_communicator()),
        device(memory, threads),
        groups(*world, setup, profile),
        trainer(device, setup, {.lr = setup.lr}, scaling, groups) {
    trainer.begin();
  }

  Memory memory;
  std::unique_ptr<Communicator> world;
  Processor<T> device;
  HostClock clock;
  Profile profile{clock};
  Groups groups;
  Trainer<T> trainer;
};

std::uint64_t peak_of(const Setup& setup) {
  LoneTrainer<float> lone(setup);
  lone.trainer.step(1);
  CHECK(lone.memory.allocated() == lone.memory.max_allocated());
  return lone.memory.max_allocated();
}

std::vector<double> losses_of(const Setup& setup, std::int64_t threads) {
  LoneTrainer<float> lone(setup, threads);
  std::vector<double> losses;
  for (std::int64_t i = 1; i <= setup.iterations; ++i)
    losses.push_back(lone.trainer.step(i).loss_share);
  return losses;
}

Setup splits(std::int64_t tp, std::int64_t pp, std::int64_t dp) {
  Setup setup;
  setup.layers = 4;
  setup.tp = tp;
  setup.pp = pp;
  setup.dp = dp;
  return setup;
}

}  // namespace

TEST_CASE("the memory of a step is what its tensors take") {
  Setup s;
  s.layers = 2;
  s.gas = 2;  // one slot all the same: the only stage has one micro-batch in flight
  // All sizes here are whole multiples of 64 bytes.
  const std::int64_t n = s.seq, h = s.hidden, f = 4 * h, v = s.vocab, l = s.layers;
  const std::int64_t parameters = v * h + n * h + l * (12 * h * h + 13 * h) + 2 * h;
  // A layer: norm1, qkv (three), context, middle, norm2; four columns of norms; attention; MLP.
  const std::int64_t kept = 7 * n * h + 4 * n + s.heads * n * n + 2 * n * f;
  // Gradients on their way: of a norm, the MLP, qkv and the context; a block of scores.
  const std::int64_t scratch = n * h + n * f + 3 * n * h + n * h + n * n;
  // Inputs of the layers, the output, its gradient; the last norm and logits; three columns of the
  // loss.
  const std::int64_t edges = l * n * h + 2 * n * h + n * h + 2 * n + n * v + 3 * n;
  const std::int64_t numbers = 4 * parameters + l * kept + scratch + edges + 2 * n;
  const std::uint64_t state = 2 * 64;  // the loss, and what a step knows
  CHECK(peak_of(s) == static_cast<std::uint64_t>(4 * numbers) + state);
}

TEST_CASE("recomputation takes less memory") {
  Setup none, selective, full;
  none.layers = selective.layers = full.layers = 6;
  selective.recompute = "selective";
  full.recompute = "full";
  CHECK(peak_of(selective) < peak_of(none));
  CHECK(peak_of(full) < peak_of(selective));
}

TEST_CASE("threads change nothing but the rounding") {
  Setup setup;
  setup.iterations = 5;
  setup.mbs = 3;
  for (const char* style : {"gpt2", "llama"}) {
    setup.style = style;
    const auto one = losses_of(setup, 1);
    for (const std::int64_t threads : {2, 3}) {
      const auto several = losses_of(setup, threads);
      for (std::size_t i = 0; i < one.size(); ++i)
        CHECK(several[i] == Approx(one[i]).epsilon(1e-5));
    }
  }
}

TEST_CASE("a gradient that is no number is skipped and changes nothing") {
  Setup setup;
  LoneTrainer<float> lone(setup);
  const_cast<float*>(lone.trainer.values())[0] = NAN;
  const std::vector<float> before(lone.trainer.values(),
                                  lone.trainer.values() + lone.trainer.table().size);
  const StepResult result = lone.trainer.step(1);
  CHECK(result.outcome.skipped);
  CHECK_FALSE(std::isfinite(result.loss_share));
  for (std::size_t i = 1; i < before.size(); ++i) REQUIRE(lone.trainer.values()[i] == before[i]);
}

TEST_CASE("each rank's parameters are what the log says") {
  for (const char* style : {"gpt2", "llama"})
    for (const auto& layout :
         {splits(1, 1, 1), splits(2, 1, 1), splits(2, 4, 1), splits(4, 2, 2)}) {
      Setup s = layout;
      s.style = style;
      for (std::int64_t rank = 0; rank < s.world(); ++rank) {
        const Place place = place_of(s, rank);
        CHECK(rank_at(s, place) == rank);
        CHECK(shard_table(s, place).count == parameters_of_stage(s, place.pp));
      }
    }
}

TEST_CASE("the parts of a tensor cover the whole once") {
  for (const Split split : {Split::kRows, Split::kColumns, Split::kGateUp}) {
    TensorPart part{8, 6, 6, split, 2, 0};
    (split == Split::kColumns ? part.columns : part.rows) /= 2;
    std::vector<int> seen(48);
    for (; part.rank < part.ranks; ++part.rank)
      for (std::int64_t i = 0; i < part.rows * part.columns; ++i)
        ++seen[static_cast<std::size_t>(place_in_whole(part, i))];
    CHECK(seen == std::vector<int>(48, 1));
  }
  // Gate and up are split alike: rank 1's second half begins at the second half of `up`.
  CHECK(place_in_whole({4, 6, 6, Split::kGateUp, 2, 1}, 2 * 6) == 6 * 6);
}

TEST_CASE("a layout that cannot be is refused with its remedy") {
  using Catch::Contains;
  TrainingSettings settings;
  CHECK_NOTHROW(check(settings, 1));
  const auto refused = [&](const Setup& setup, std::int64_t launched, const std::string& words) {
    settings.setup = setup;
    try {
      check(settings, launched);
      FAIL("accepted: " << words);
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Contains(words));
      CHECK(error.exit_code() == ExitCode::kBadLayout);
    }
  };
  refused(splits(1, 1, 1), 2, "--tp 1 x --pp 1 x --dp 1 wants 1 ranks, launched were 2");
  refused(splits(2, 2, 1), 1, "wants 4 ranks, launched were 1: mpirun -n 4");
  refused(splits(3, 1, 1), 3, "--tp 3 does not divide --heads 4");
  refused(splits(1, 3, 1), 3, "--pp 3 does not divide --layers 4");
  Setup setup = splits(4, 1, 1);
  setup.kv_heads = 2;
  refused(setup, 4, "--tp 4 does not divide --kv-heads 2");
  setup = splits(1, 1, 1);
  setup.kv_heads = 3;
  refused(setup, 1, "--kv-heads 3 does not divide --heads 4");
  setup.kv_heads = 0;
  setup.heads = 3;
  refused(setup, 1, "--heads 3 does not divide --hidden 64");
  setup = splits(2, 1, 1);
  setup.sequence_parallel = "1";
  setup.seq = 63;
  refused(setup, 2, "--sequence-parallel: --tp 2 does not divide --seq 63");
  setup = splits(2, 1, 1);
  setup.ffn = 33;
  refused(setup, 2, "--tp 2 does not divide the MLP's width 33");
  settings.setup = {};
  settings.setup.mbs = settings.setup.seq = 1 << 20;
  CHECK_THROWS_WITH(check(settings, 1), Contains("2^31"));
}

TEST_CASE("fp16 skips the steps whose gradients overflow until the loss scale fits") {
  const Setup setup;
  LoneTrainer<Half> lone(setup, 1, {0x1p40, 1, 1000, 1});
  const auto first = lone.trainer.step(1);
  CHECK(first.outcome.skipped);
  CHECK(first.outcome.loss_scale == 0x1p39);
  CHECK(std::isfinite(first.loss_share));
  int skipped = 1;
  StepResult last = first;
  for (int i = 2; i <= 40; ++i) {
    last = lone.trainer.step(i);
    skipped += last.outcome.skipped ? 1 : 0;
  }
  CHECK(skipped < 40);
  CHECK(last.outcome.loss_scale == std::ldexp(1, 40 - skipped));
  CHECK(last.loss_share < first.loss_share);
}

TEST_CASE("a loss scale changes nothing of a step in bfloat16 or float") {
  const Setup setup;
  for (const double scale : {1.0, 4096.0}) {
    LoneTrainer<BFloat16> narrow(setup, 1, {scale, scale});
    LoneTrainer<BFloat16> other(setup, 1);
    for (int i = 1; i <= 5; ++i) {
      const auto a = narrow.trainer.step(i), b = other.trainer.step(i);
      CHECK(a.loss_share == b.loss_share);
      CHECK(a.outcome.grad_norm == b.outcome.grad_norm);
    }
  }
}

TEST_CASE("what a device fails of is told where its clock fails with it") {
  struct FailingClock final : Clock {
    bool works = true;
    Moment moment() override {
      if (!works) throw Error(ExitCode::kMachine, "the clock");
      return now_ns();
    }
    std::int64_t nanoseconds(Moment moment) override { return moment; }
    void forget() override {}
  } clock;
  Profile profile(clock);
  const auto step = [&] {
    const During forward(profile, Activity::kForward);
    clock.works = false;
    throw Error(ExitCode::kMachine, "a product");
  };
  CHECK_THROWS_WITH(step(), "a product");
  CHECK_THROWS_WITH(profile.enter(Activity::kOther), "the clock");
}
