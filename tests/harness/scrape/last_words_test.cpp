// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/last_words.h"

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("what bash says of a job's script stands without the script's place") {
  CHECK(last_words("loading\n/a b/jobs/s-1/job.sh: line 294: nosuch: command not found\n", 127) ==
        "nosuch: command not found");
  CHECK(last_words("train.sh: line 3: nosuch: command not found\n", 127) ==
        "train.sh: line 3: nosuch: command not found");
  CHECK_FALSE(said_of_script("/x/job.sh: line x: what"));
  CHECK_FALSE(said_of_script("see /x/job.sh: line 12"));
}

TEST_CASE("of a run that a signal ended its own last line counts") {
  const std::string report =
      "/x/job.sh: line 217:  7125 Segmentation fault      ( train --a 1\ntrain --b 2 )\n";
  CHECK(last_words("step 3\nbad pointer\n" + report, 139) == "bad pointer");
  CHECK(last_words(report, 139).empty());
  CHECK(last_words("first\n" + report + "second fails\n", 2) == "second fails");
  CHECK(exit_text(139) == "exit 139 (Segmentation fault)");
  CHECK(exit_text(2) == "exit 2");
  CHECK(exit_text(255) == "exit 255");
  CHECK(exit_text(128) == "exit 128");
}

TEST_CASE("of the ranks that srun ended with one that was killed this one is told") {
  const std::string log =
      "step 3\nsrun: error: n2: task 3: Killed\nsrun: launch/slurm: _step_signal: Terminating "
      "StepId=1.0\nslurmstepd-n1: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-11-23T01:33:27 ***\n"
      "srun: error: n2: task 2: Terminated\nsrun: Force Terminated StepId=1.0\n";
  CHECK(last_words(log, 143) == "srun: error: n2: task 3: Killed");
  CHECK(last_words(log, 137) == "srun: error: n2: task 3: Killed");
  CHECK(last_words("step 3\nsrun: error: n2: task 2: Terminated\n", 143) == "step 3");
}

TEST_CASE("what a launcher adds to a failure is not its reason") {
  const std::string rule(74, '-');
  const std::string mpirun = rule + "\nPrimary job  terminated normally, but 1 process returned\n" +
                             rule + "\n" + rule + "\nmpirun detected\n\n  Exit code: 2\n" + rule +
                             "\n";
  CHECK(last_words("ValueError: mbs\n" + mpirun, 2) == "ValueError: mbs");
  CHECK(last_words(mpirun, 2) == "Exit code: 2");
  CHECK(last_words("slurmstepd: error: execve(): no: No such file or directory\n"
                   "srun: error: n1: task 0: Exited with exit code 2\n",
                   2) == "slurmstepd: error: execve(): no: No such file or directory");
  CHECK(last_words("srun: error: Unable to create step\n", 1) ==
        "srun: error: Unable to create step");
  CHECK(last_words("a line\n---\n\n", 1) == "---");
}

TEST_CASE("what Open MPI says of its own messages is not a run's reason either") {
  const std::string rule(74, '-');
  const std::string said = "training: --precision wants one of fp32, bf16, fp16, not 'fp8'";
  std::string abort = rule;
  abort += "\nMPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD\nwith errorcode 2.\n";
  abort += rule;
  abort +=
      "\n[n1:7] 1 more process has sent help message help-mpi-api.txt / mpi-abort\n[n1:7] Set MCA "
      "parameter \"orte_base_help_aggregate\" to 0 to see all help / error messages\n";
  for (std::string about :
       {abort,
        std::string("[n1:7] [[18427,0],0] ORTE_ERROR_LOG: Out of resource in file show_help.c at "
                    "line 501\n")}) {
    about.insert(0, said + "\n");
    CHECK(last_words(about, 2) == said);
  }
  CHECK(last_words("[n1:7] *** Process received signal ***\n", 139) ==
        "[n1:7] *** Process received signal ***");
}

TEST_CASE("a log without a line has no last words") {
  CHECK(last_words("", 1).empty());
  CHECK(last_words("\n \n\n", 139).empty());
}

TEST_CASE("that a trainer nobody knows died of memory is found in its log, and no stronger cause") {
  const std::string memory =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB";
  CHECK(out_of_memory_line("step one\n" + memory + "\nmpirun has exited\n") == memory);
  CHECK(out_of_memory_line("step one\nAssertionError\n").empty());
  CHECK(out_of_memory_line("").empty());
}

TEST_CASE("the last words of a log are none of the NULs of a hole, and no page") {
  const std::string hole(100'000, '\0');
  CHECK(last_words("out of luck\n" + hole, 3) == "out of luck");
  CHECK(last_words("out of" + hole.substr(0, 9) + " luck\n", 3) == "out of luck");
  CHECK(last_words(hole, 3).empty());
  CHECK(last_words("step 3\n" + std::string(50'000, 'x') + "\n", 3).size() < 510);
}
