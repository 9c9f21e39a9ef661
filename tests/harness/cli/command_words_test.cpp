// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/command_words.h"

#include "core/base/text.h"
#include "core/jobs/quoting.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string words(const std::string& command, const Environment& env = {}) {
  return join(command_words(command, env), "|");
}

}  // namespace

TEST_CASE("a command's words end where bash does something else with them") {
  CHECK(words("torchrun  train.py \\\n --tp '4' \"--bf16\" 2>&1 | tee log") ==
        "torchrun|train.py|--tp|4|--bf16");
  CHECK(words("train $ARGS --path $DATA/x") == "train|?|--path|?");
}

TEST_CASE("a variable that is known is as many words as bash makes of it") {
  const Environment env{{"RC", "--fp8-format=hybrid"},
                        {"MODEL", "--num-layers 4\n  --hidden-size\t64\n"},
                        {"NOTE", "it --num-layers is 9"},
                        {"DATA", "$HOME/data"}};
  CHECK(words("train \"${RC}\" $RC", env) == "train|--fp8-format=hybrid|--fp8-format=hybrid");
  CHECK(words("train $MODEL --bf16", env) == "train|--num-layers|4|--hidden-size|64|--bf16");
  CHECK(words("train --note \"$NOTE\" --bf16", env) == "train|--note|?|--bf16");
  CHECK(words("train --data-path $DATA", env) == "train|--data-path|?");
  CHECK(words("train $OTHER", env) == "train|?");
}

TEST_CASE("a stored command's own variables are read as they were written") {
  for (const std::string value : {"plain", "two words", "it's", "a=b;c", "back\\slash"}) {
    CAPTURE(value);
    const Environment env = exports_in(
        "pippin_command () \n{ \n    export PIPPIN_RC=" + bash_word(value) + ";\n    echo x\n}");
    REQUIRE(env.size() == 1);
    CHECK(env.front().first == "PIPPIN_RC");
    CHECK(env.front().second == value);
  }
  CHECK(exports_in("export A=$'x\\n';\nexport B=$A;\nexport C;\nexporting D=1;").empty());
}
