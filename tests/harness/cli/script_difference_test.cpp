// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/script_difference.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string text_of(const ScriptDifference& difference) {
  return difference.then + " | " + difference.now;
}

}  // namespace

TEST_CASE("of two scripts the words that differ are told with the one before them") {
  const std::string then = "#!/bin/bash\n#SBATCH --time=10\nrun --tp 2 --iterations 5 --seed 1\n";
  CHECK(text_of(first_difference(then, then)) == " | ");
  CHECK(text_of(first_difference(
            then, "#!/bin/bash\n#SBATCH --time=10\nrun --tp 2 --iterations 60 --seed 1\n")) ==
        "--iterations 5 | --iterations 60");
  CHECK(text_of(first_difference(then, "# a note\n#SBATCH --time=20\nrun --tp 2\n")) ==
        "#SBATCH --time=10 | #SBATCH --time=20");
  CHECK(text_of(first_difference("run --tp 2", "run --tp 2 --more 3")) == "2 | 2 --more 3");
  CHECK(text_of(first_difference("run a a b", "run a b")) == "a a | a");
  CHECK(text_of(first_difference("one", "other")) == "one | other");
}

TEST_CASE("of two scripts words that differ late, or in blanks alone, are shown so that they do") {
  CHECK(text_of(first_difference("run a  b", "run a b")) == "run a  b | run a b");
  const std::string path(200, 'x');
  CHECK(text_of(first_difference("run /" + path + "/one", "run /" + path + "/two")) ==
        "…" + std::string(19, 'x') + "/one | …" + std::string(19, 'x') + "/two");
  CHECK(text_of(first_difference("run a\nend", "run b\nmore\nend")) == "run a | run b");
}

TEST_CASE("of two scripts a line is told that only one of them has") {
  CHECK(text_of(first_difference("run\n", "module load cuda\nrun\n")) == " | module load cuda");
  CHECK(text_of(first_difference("export A=1\nrun\n", "run\n")) == "export A=1 | ");
  CHECK(text_of(first_difference("", "run")) == " | run");
  CHECK(text_of(first_difference("# Lines: 0 27\nrun", "# Lines: 0 28\n\nrun")) == " | ");
}
