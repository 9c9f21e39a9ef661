// SPDX-License-Identifier: Apache-2.0
#include "core/base/shell_words.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {

using Commands = std::vector<ShellWords>;

}  // namespace

TEST_CASE("words of bash are without quotes, comments and redirections") {
  CHECK(shell_commands("train --a 'b c' \"d e\"f \\g # --h\n  # i\n") ==
        Commands{{"train", "--a", "b c", "d ef", "g"}});
  CHECK(shell_commands("a \\\n  b;c&&d | e 2>&1 >log <in\nf &>both g") ==
        Commands{{"a", "b"}, {"c"}, {"d"}, {"e"}, {"f", "g"}});
  CHECK(shell_commands("a 2>&1 | tee -a x#y ''") == Commands{{"a"}, {"tee", "-a", "x#y", ""}});
  CHECK(shell_commands("cat <<EOF >f\n--num-layers 9\nEOF\nb <<<word c") ==
        Commands{{"cat"}, {"b", "c"}});
  CHECK(shell_commands("").empty());
  CHECK(shell_commands("# nothing\n\n").empty());
  CHECK(shell_commands("f() { train 1; }") == Commands{{"f"}, {"train", "1"}});
}

TEST_CASE("variables and arrays that are assigned before are filled in") {
  CHECK(shell_commands("N=8; export M='1 2'\nx $N ${N}b \"$M\" $M --n=$N '$N' \\$N") ==
        Commands{{"export"}, {"x", "8", "8b", "1 2", "1", "2", "--n=8", "$N", "$N"}});
  CHECK(
      shell_commands("A=(\n  --a 1 # one\n  --b \"2 3\"\n)\nA+=(--c)\nx \"${A[@]}\" ${A[*]} $A") ==
      Commands{{"x", "--a", "1", "--b", "2 3", "--c", "--a", "1", "--b", "2", "3", "--c", "--a"}});
  CHECK(shell_commands("A='--a 1'\nA+=' --b 2'\nx $A") == Commands{{"x", "--a", "1", "--b", "2"}});
  CHECK(shell_commands("B=1 x $B", {{"C", "3"}}) == Commands{{"x", "$B"}});
  CHECK(shell_commands("x $C \"${C}\" ${C:-4}", {{"C", "3"}}) == Commands{{"x", "3", "3", "3"}});
  CHECK(shell_commands("x $C \"$C\" y", {{"C", ""}}) == Commands{{"x", "", "y"}});
}

TEST_CASE("what bash alone knows stands as it does there") {
  CHECK(shell_commands("x $N ${N:-3} $(date +%s) $((2 * (3 + 4))) `ls a` $1 a$N") ==
        Commands{{"x", "$N", "${N:-3}", "$(date +%s)", "$((2 * (3 + 4)))", "`ls a`", "$1", "a$N"}});
  CHECK(shell_commands("N=1\nif [ a ]; then N=2; else M=3; fi\nx $N $M") ==
        Commands{{"[", "a", "]"}, {"x", "$N", "$M"}});
  CHECK(shell_commands("for i in 1 2; do N=$i; done; N=4; x $N") ==
        Commands{{"for", "i", "in", "1", "2"}, {"x", "4"}});
  CHECK(shell_commands("N=1; for N in 2 3; do x $N; done; M=4; read M <f; x $M") ==
        Commands{{"for", "N", "in", "2", "3"}, {"x", "$N"}, {"read", "M"}, {"x", "$M"}});
  CHECK(shell_commands("x ${C:-4} ${C-5}", {{"C", ""}}) == Commands{{"x", "${C:-4}"}});
  CHECK(shell_commands("N=$(nproc); M=$N; x $M") == Commands{{"x", "$(nproc)"}});
  for (const char* torn :
       {"x 'a", "x \"a", "x $(a", "x ${a", "x `a", "A=(a b", "cat <<E\na", "\\", "$", "x >"}) {
    CAPTURE(torn);
    CHECK(shell_commands(torn).size() <= 1);
  }
  std::string doubling = "A=aa\n";
  for (int i = 0; i < 64; ++i) doubling += "A=$A$A\n";
  CHECK(has_unknown(shell_commands(doubling + "x $A").at(0).at(1)));
  CHECK(has_unknown("a$N"));
  CHECK_FALSE(has_unknown("a"));
}
