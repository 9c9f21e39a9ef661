// SPDX-License-Identifier: Apache-2.0
#include "sweeps/max_model.h"

#include "core/base/units.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/models.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// TP 4, PP 8, DP 2 of the named model.
Setup setup_of(const char* name, std::int64_t chunks = 1) {
  Setup setup = usual_setup(Generation::kAmpere, 4);
  setup.shape = shape_of(*find_model(name), 4);
  setup.tp = 4;
  setup.pp = 8;
  setup.dp = 2;
  setup.gas = 128;
  setup.chunks = chunks;
  return setup;
}

double needed_with(Setup setup, std::int64_t layers) {
  setup.shape.layers = layers;
  return needed_bytes(setup);
}

}  // namespace

TEST_CASE("the deepest model fits, and one more layer on each stage does not") {
  for (const char* name : {"52B", "6.7B", "llama-70B"}) {
    for (const double gib : {16.0, 40.0, 80.0, 192.0}) {
      for (const std::int64_t chunks : {1, 2}) {
        CAPTURE(name, gib, chunks);
        const Setup setup = setup_of(name, chunks);
        const auto found = deepest_model(setup, gib * kGib);
        const std::int64_t step = setup.pp * chunks;
        if (!found) {
          CHECK(needed_with(setup, step) > gib * kGib);
          continue;
        }
        CHECK(found->layers % step == 0);
        CHECK(found->needed_bytes == needed_with(setup, found->layers));
        CHECK(found->needed_bytes <= gib * kGib);
        CHECK(needed_with(setup, found->layers + step) > gib * kGib);
      }
    }
  }
}

TEST_CASE("no named model has experts or latent attention") {
  Setup setup = setup_of("6.7B");
  REQUIRE(largest_named_model(setup, 80 * kGib));
  setup.shape.experts = 8;
  CHECK_FALSE(largest_named_model(setup, 80 * kGib));
  setup.shape.experts = 0;
  setup.shape.key_latent = setup.shape.value_width = 128;
  CHECK_FALSE(largest_named_model(setup, 80 * kGib));
}

TEST_CASE("the largest named model is of the same kind, divides, and grows with the memory") {
  const Setup gpt = setup_of("6.7B");
  std::int64_t before = 0;
  for (const double gib : {24.0, 40.0, 80.0, 640.0}) {
    const auto found = largest_named_model(gpt, gib * kGib);
    REQUIRE(found);
    CHECK(found->parameters >= before);
    CHECK(found->layers % gpt.pp == 0);
    CHECK(find_model(found->name)->style == "gpt2");
    before = found->parameters;
  }
  const auto llama = largest_named_model(setup_of("llama-7B"), 80 * kGib);
  REQUIRE(llama);
  CHECK(find_model(llama->name)->style == "llama");
}

TEST_CASE("a layout that holds no model says by how much, and one of unequal stages that it is") {
  const MaxModel none = max_model("p", setup_of("52B"), 2 * kGib);
  CHECK_FALSE(none.deepest);
  CHECK_FALSE(none.named);
  CHECK_THAT(none.why, Contains("a layer on each stage needs") && Contains("GiB of 2.0"));
  Setup uneven = setup_of("52B");
  uneven.first_layers = 7;
  CHECK(max_model("p", uneven, 80 * kGib).why == "its stages are of unequal length");
}
