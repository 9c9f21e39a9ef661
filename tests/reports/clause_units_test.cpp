// SPDX-License-Identifier: Apache-2.0
#include "reports/clause_units.h"

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("amounts in a clause become what columns are measured in") {
  for (const auto& [written, bare] : std::vector<std::pair<std::string, std::string>>{
           {"step_time < 50ms", "step_time < 0.05"},
           {"step_time < 1.5e3us && tp > 2", "step_time < 0.0015 && tp > 2"},
           {"step_time > 2min || step_time > 1h", "step_time > 120 || step_time > 3600"},
           {"step_time < 2s", "step_time < 2"},
           {"spread > 1.5%", "spread > 0.015"},
           {"(mfu > 40%) && tp == 2", "(mfu > 0.4) && tp == 2"},
           {"memory < 40 GiB", "memory < 40"},
           {"memory < 512MiB", "memory < 0.5"},
           {"8%3 == mbs", "8%3 == mbs"},
           {"12 % tp == 0", "12 % tp == 0"},
           {"note == '50ms' && x == \"1%\"", "note == '50ms' && x == \"1%\""},
           {"size == 52", "size == 52"},
           {"a1s > 3", "a1s > 3"},
           {"x > 5st", "x > 5st"},
           {"", ""}}) {
    CAPTURE(written);
    CHECK(without_units(written).text == bare);
  }
  const BareClause two = without_units("spread > 1.5% && memory < 40 GiB");
  CHECK(two.amounts == std::vector<std::string>{"1.5%", "40 GiB"});
  CHECK(two.dimensions == std::vector<char>{'%', 'm'});
}

TEST_CASE("a column's dimension is that of its unit") {
  CHECK(dimension_of("step_time_s") == 't');
  CHECK(dimension_of("memory_gib") == 'm');
  CHECK(dimension_of("spread_low") == '%');
  CHECK(dimension_of("samples_per_s") == 0);
  CHECK(dimension_of("tokens_per_s_per_gpu") == 0);
  CHECK(dimension_of("tflops") == 0);
}
