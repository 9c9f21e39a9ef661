// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/trace_folder.h"

#include "core/jobs/quoting.h"
#include "tests/support/catch.h"
#include "tests/support/nasty.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

std::optional<std::string> word(std::string_view text) {
  return plain_word(text, [](const std::string& name) {
    return name == "A" ? std::optional<std::string>("a b") : std::nullopt;
  });
}

/// A run of `command` in `folder`, whose script began in /work.
TraceFolder folder_of(const test::TemporaryDirectory& folder, const std::string& command) {
  Provenance run;
  run.command = "pippin_command () \n{ \n    export PIPPIN_NAME='x y';\n    " + command + "\n}\n";
  run.script = (folder / "job.sh").string();
  run.environment = "SCRATCH=/scratch\n";
  disk().write(run.script, "#!/bin/bash\nexport PIPPIN_TP=4\ncd '/my work' || exit 1\n");
  return trace_folder_of(run, folder / "s/r/1-local-0/log");
}

}  // namespace

TEST_CASE("a word of bash is read as bash reads it, or not at all") {
  CHECK(word("abc def") == "abc");
  CHECK(word("'a b'/\"c d\"e\\ f;") == "a b/c de f");
  CHECK(word("\"${A}\"/t") == "a b/t");
  CHECK(word("$A/t") == "a b/t");
  CHECK(word("'$A'") == "$A");
  for (const char* text : {"", "$B", "${A", "${A:-x}", "$(pwd)", "`pwd`", "\"`pwd`\"", "a*", "~/t",
                           "'a", "\"a", "{a,b}", "$'x'", "a>b"})
    CHECK_FALSE(word(text));
}

TEST_CASE("what pippin has quoted for bash is read back, or not at all") {
  for (const auto& text : test::nasty_texts()) {
    CAPTURE(text);
    const auto back = word(bash_word(text));
    CHECK((!back || *back == text));
  }
}

TEST_CASE("where a command had its ranks trace is found by what its job had in variables") {
  const test::TemporaryDirectory folder;
  const auto path = [&](const std::string& command) { return folder_of(folder, command).path; };
  CHECK(path("training --trace \"${PIPPIN_RUN_DIR}\"/trace --tp 2") ==
        folder / "s/r/1-local-0/trace");
  CHECK(path("training --trace \"$pippin_root\"/t") == folder / "s/t");
  CHECK(path("training --trace=/abs/t") == "/abs/t");
  CHECK(path("training --trace \"$SCRATCH\"/${PIPPIN_NAME}/$PIPPIN_TP") == "/scratch/x y/4");
  CHECK(path("training --trace t/\"${PIPPIN_NAME}\"") == "/my work/t/x y");
}

TEST_CASE("a command without --trace names no folder, and one of unknown words says so") {
  const test::TemporaryDirectory folder;
  CHECK_FALSE(folder_of(folder, "training --tp 2").named);
  CHECK_FALSE(folder_of(folder, "training --traces x --no-trace y").named);
  CHECK_FALSE(trace_folder_of({}, "").named);
  const TraceFolder unknown = folder_of(folder, "training --trace \"$TMP\"/t");
  CHECK(unknown.named);
  CHECK(unknown.path.empty());
  CHECK(unknown.word == "\"$TMP\"/t");
}
