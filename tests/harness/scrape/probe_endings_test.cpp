// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/probe_endings.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {

const std::string kDied = "training: rank 3 on node2 died: no word from it for 5 s\n";

ProbeEnding ending_of(int exit_code, const std::string& log) {
  const auto ending = probe_ending(exit_code, log);
  REQUIRE(ending);
  return *ending;
}

}  // namespace

TEST_CASE("each exit code of a probe is a class of its own with the line that says why") {
  struct Case {
    int exit_code;
    std::string line;
    RunState state;
    std::string evidence;
  };
  const Case cases[] = {
      {12, "training: out of memory (std::bad_alloc): tried to allocate 192.00 MiB", RunState::kOom,
       "out of memory: training: out of memory (std::bad_alloc): tried to allocate 192.00 MiB"},
      {13, "training: --heads 4 does not divide --hidden 66", RunState::kFailed,
       "bad layout: training: --heads 4 does not divide --hidden 66"},
      {14, "training: no CUDA device", RunState::kFailed, "no device: training: no CUDA device"},
      {15, "training: rank 3 on node2 died: killed", RunState::kFailed,
       "lost rank: training: rank 3 on node2 died: killed"},
  };
  for (const auto& entry : cases) {
    CAPTURE(entry.exit_code);
    const std::string log = " > probe: pippin training 1\n" + entry.line + "\nmpirun: aborted\n";
    const ProbeEnding ending = ending_of(entry.exit_code, log);
    CHECK(ending.state == entry.state);
    CHECK(ending.evidence == entry.evidence);
    CHECK(ending.lost_rank == (entry.exit_code == 15));
  }
}

TEST_CASE("a probe's line is found behind what a launcher puts before it") {
  for (const std::string before : {"", "3: ", "[1,3]<stderr>:", "n2 "}) {
    CAPTURE(before);
    CHECK(ending_of(15, before + kDied).evidence ==
          "lost rank: " + kDied.substr(0, kDied.size() - 1));
  }
}

TEST_CASE("a rank that was lost to a lack of memory is no bad luck") {
  for (const std::string line :
       {"training: out of memory (std::bad_alloc): tried to allocate 9 GiB",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.", "CUDA error: out of memory",
        "srun: error: n2: task 3: Out Of Memory"}) {
    CAPTURE(line);
    const ProbeEnding ending = ending_of(15, kDied + line + "\n");
    CHECK(ending.state == RunState::kOom);
    CHECK(ending.evidence == "out of memory: " + line);
    CHECK_FALSE(ending.lost_rank);
  }
}

TEST_CASE("the same exit codes of another program mean nothing") {
  CHECK_FALSE(probe_ending(15, "python: killed\n"));
  CHECK_FALSE(probe_ending(13, "pretraining: --heads 4 does not divide\n"));
  CHECK_FALSE(probe_ending(12, ""));
  CHECK_FALSE(probe_ending(1, kDied));
}

TEST_CASE("a probe's own line is told from what stands around it") {
  const std::string rule(74, '-');
  const std::string said = "training: --precision wants one of fp32, bf16, fp16, not 'fp8'";
  const std::string log = " > probe: pippin training 1\n" + rule + "\nMPI_ABORT was invoked\n" +
                          "[1,0]<stderr>:" + said + "\n" + rule + "\n";
  CHECK(words_of_probe("training", log) == said);
  CHECK(words_of_probe("training", "training: rank 3 on n2: x\ntraining: y\n") ==
        "training: rank 3 on n2: x");
  CHECK(words_of_probe("gemm", log).empty());
  CHECK(words_of_probe("training", "pretraining: x\ntraining done: y\n").empty());
}
