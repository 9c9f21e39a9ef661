// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/told_values.h"

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

std::string text_of(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values) text += name + "=" + value.text + " ";
  return text;
}

std::string matched(const char* pattern, const char* path) {
  return text_of(NamePattern(pattern).match(path));
}

}  // namespace

TEST_CASE("the name of a log says what ran, by a pattern") {
  CHECK(matched("{size}B-mbs-{mbs}-pp{pp}", "/x/gpt-52B-mbs-4-pp16.log") ==
        "size=52B mbs=4 pp=16 ");
  CHECK(matched("{size}-mbs{mbs}", "llama_7b-mbs2.out") == "size=7b mbs=2 ");
  CHECK(matched("n{nodes}_{mode}", "run_n4_fsdp.log") == "nodes=4 mode=fsdp ");
  CHECK(matched("tp{tp}/pp{pp}", "/logs/tp4/pp2/rank0.log") == "tp=4 pp=2 ");
  CHECK(matched("tp{tp}", "/tp9/run-tp4.log") == "tp=4 ");  // the file's name before its folders
}

TEST_CASE("a name that a pattern does not fit says nothing") {
  CHECK(matched("{size}B-mbs-{mbs}", "52B-mbs-x.log").empty());
  CHECK(matched("tp{tp}", "run.log").empty());
}

TEST_CASE("a pattern without fields, or with two that touch, is refused") {
  CHECK_THROWS_AS(NamePattern("run-tp"), Error);
  CHECK_THROWS_AS(NamePattern("{tp}{pp}"), Error);
}
