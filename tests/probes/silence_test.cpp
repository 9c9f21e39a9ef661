// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/ranks.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

TEST_CASE("a rank that is stopped ends all by name, the first one too") {
  for (const std::string how : {"last", "first"}) {
    CAPTURE(how);
    const Outcome outcome = test::run_ranks(3, {SILENT_RANKS, how, "2"});
    CHECK(outcome.exit_code == 15);
    CHECK_THAT(outcome.output,
               Contains(how == "first" ? "silent_ranks: rank 0 on " : "silent_ranks: rank 2 on ") &&
                   Contains(" died or is stopped: no sign of life for 2 s"));
    CHECK(outcome.output.find("all are there") == std::string::npos);
  }
}

TEST_CASE("ranks that were all stopped and go on, as a suspended job does, do not end") {
  const Outcome outcome = test::run_ranks(3, {SILENT_RANKS, "nap", "4"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.output == "all are there\n");
}
