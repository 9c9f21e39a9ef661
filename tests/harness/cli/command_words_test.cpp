// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/command_words.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/quoting.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string words(const std::string& command, const Environment& env = {}) {
  try {
    return join(megatron_words(command, env), "|");
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("of a command those words are read that train") {
  const std::string rest = "|--num-layers|4|--micro-batch-size|2";
  CHECK(words("torchrun  train.py \\\n --num-layers '4' \"--micro-batch-size\" 2 2>&1 | tee log") ==
        "torchrun|train.py" + rest);
  CHECK(
      words(
          "# --num-layers 9\nmkdir -p x && cd x; train --num-layers 4 --micro-batch-size 2 # 3") ==
      "train" + rest);
  CHECK(words("prepare --num-layers 9\ntrain --num-layers 4 --micro-batch-size 2") ==
        "train" + rest);
  CHECK(
      words("MBS=2\nMODEL=(\n  --num-layers 4 # deep\n)\ntrain \"${MODEL[@]}\" --micro-batch-size "
            "$MBS") == "train" + rest);
  for (const std::string value : {"plain", "two words", "it's", "a=b;c", "back\\slash"})
    CHECK(words("pippin_command () \n{ \n    export PIPPIN_RC=" + bash_word(value) +
                ";\n    train --num-layers 4 --note \"$PIPPIN_RC\"\n}") ==
          "train|--num-layers|4|--note|" + value);
  CHECK(words("train $ARGS") == "no program of its command is seen to have --num-layers");
  CHECK(words("a --num-layers 4; b --num-layers 4") ==
        "several programs of its command have --num-layers");
}

TEST_CASE("words that another shell is handed are read, too") {
  const std::string rest = "train|--num-layers|4|--micro-batch-size|2";
  const std::string text = "cd x && train --num-layers 4 --micro-batch-size 2";
  for (const char* shell : {"srun --nodes 2 bash -c ", "bash -lc ", "srun /bin/sh -e -c "})
    CHECK(words(shell + ("\"" + text + "\"")) == rest);
  CHECK(words("bash -c 'srun bash -c \"" + text + "\"'") == rest);
  CHECK(words("MBS=2; srun bash -c \"train --num-layers 4 --micro-batch-size $MBS\"") == rest);
  CHECK(words("srun bash -c 'train --num-layers 4 --micro-batch-size $MBS'") ==
        "what --micro-batch-size $MBS is, is not known");
  CHECK(words("srun bash -c 'train --num-layers 4 --micro-batch-size $MBS'", {{"MBS", "2"}}) ==
        rest);
  CHECK(words("bash train.sh --num-layers 4 --micro-batch-size 2") ==
        "bash|train.sh|--num-layers|4|--micro-batch-size|2");
  CHECK(words("bash -c") == "no program of its command is seen to have --num-layers");
}

TEST_CASE("what bash alone knows is a path or the like, or it may be an argument that counts") {
  const std::string train = "$PYTHON train --num-layers 4 ", read = "?|train|--num-layers|4|";
  CHECK(words(train + "--load $CKPT --data-path 0.5 $A 0.5 $B --save=$X/y") ==
        read + "--load|?|--data-path|0.5|?|0.5|?|--save=$X/y");
  CHECK(words(train + "--node-rank $RANK --bf16") == read + "--node-rank|?|--bf16");
  for (const char* more :
       {"$EXTRA", "--bf16 $MORE", "--load x $OPTS", "--log-throughput $MY_ARGS"}) {
    CAPTURE(more);
    CHECK_THAT(words(train + more), Catch::Matches("what \\$[A-Z_]+ holds is not known"));
  }
  CHECK(words(train + "--seq-length $SEQ") == "what --seq-length $SEQ is, is not known");
  CHECK(words(train + "--seq-length=$SEQ") == "what --seq-length=$SEQ is, is not known");
  const Environment env{{"RC", "--fp8-format=hybrid"},
                        {"MODEL", "--swiglu\n  --hidden-size\t64\n"},
                        {"NONE", ""},
                        {"DATA", "$HOME/data"}};
  CHECK(words(train + "\"${RC}\" $MODEL $NONE --bf16 --data-path $DATA", env) ==
        read + "--fp8-format=hybrid|--swiglu|--hidden-size|64|--bf16|--data-path|?");
}
