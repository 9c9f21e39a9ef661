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

TEST_CASE("of two scripts a folder that was moved with its runs is no difference") {
  const auto script = [](const std::string& folder, const std::string& runs) {
    return "#!/bin/bash\npippin_root=" + runs + "\ncd " + folder + " || { exit; }\nrun " + folder +
           "/train.sh --data " + folder + "2/x\n";
  };
  const auto difference = [](const std::string& then, const std::string& now) {
    return text_of(first_difference(FolderOfThen(then, now).in_words_of_now(then, now), now));
  };
  const std::string then = script("/a", "/a/t.runs");
  CHECK(difference(then, then) == " | ");
  const std::string moved =
      "#!/bin/bash\npippin_root=/new/b/t.runs\ncd /new/b || { exit; }\nrun /new/b/train.sh --data "
      "/a2/x\n";
  CHECK(difference(then, moved) == " | ");
  CHECK(difference("pippin_root='/a b/t.runs'\ncd '/a b' || { exit; }\nrun 'x y'",
                   "pippin_root='/c d/t.runs'\ncd '/c d' || { exit; }\nrun z") ==
        "run 'x y' | run z");
  CHECK(difference(moved,
                   "#!/bin/bash\npippin_root=/c/t.runs\ncd /c || { exit; }\nrun "
                   "/new/b/train.sh --data /a2/x\n") == " | ");  // which stayed
  CHECK(difference(then, script("/b", "/a/t.runs")) == "cd /a | cd /b");
  CHECK(difference(then, script("/b", "/b/other.runs")) ==
        "pippin_root=/a/t.runs | pippin_root=/b/other.runs");
}
