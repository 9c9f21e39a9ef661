// SPDX-License-Identifier: Apache-2.0
#include "reports/look_alikes.h"

#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

using Words = std::vector<std::string>;

std::string no_environment(const std::string& point_id) {
  FAIL("asked for the environment of " << point_id);
  return "";
}

/// Of a sweep; its name ends in the first digits of its id, as the database tells points apart.
Summary row_of(const std::string& id, const std::string& trainer) {
  Summary row = test::row_52b("a-" + id.substr(0, 4), 1);
  row.sweep = "gpt";
  row.point.id = id;
  row.point.trainer = trainer;
  return row;
}

}  // namespace

TEST_CASE("commands differ in the words that they do not share") {
  CHECK(differing_words({"run --lr 1 --fp16", "run --lr 2 --fp16"}) == Words{"--lr 1", "--lr 2"});
  CHECK(differing_words({"run --a", "run --a --bar"}) == Words{"no --bar", "--bar"});
  CHECK(differing_words({"run --fp16 x", "run --bf16 --y x"}) == Words{"--fp16", "--bf16 --y"});
  CHECK(differing_words({"run", "run --a", "run --b"}) == Words{"less", "--a", "--b"});
  CHECK(differing_words({"a  b", "a b", "a c"}) == Words{"b", "b", "c"});
  const auto longest = differing_words({std::string(400, 'x'), "y"});
  CHECK(longest[0].size() < 60);
}

TEST_CASE("rows of an edited command say by what they differ") {
  std::vector<Summary> rows{row_of("415d00", "torchrun t.py --lr 1"),
                            row_of("022f00", "torchrun t.py --lr 2"), row_of("77aa00", "other")};
  rows[2].point.layout.tp = 8;
  rows[2].point.name = "b-77aa";
  tell_differences(rows, no_environment);
  CHECK(rows[0].difference == "--lr 1");
  CHECK(rows[1].difference == "--lr 2");
  CHECK(rows[2].difference.empty());
  // Several rows of one point, by run say, are of one another's kind.
  std::vector<Summary> runs{row_of("415d00", "a"), row_of("415d00", "a")};
  tell_differences(runs, no_environment);
  CHECK(runs[0].difference.empty());
}

TEST_CASE("rows differ in what a table does not show of the model") {
  std::vector<Summary> rows{row_of("415d00", "a"), row_of("022f00", "a")};
  rows[0].point.model.heads = 64;
  rows[1].point.model.heads = 128;
  tell_differences(rows, no_environment);
  CHECK(rows[0].difference == "heads 64");
  CHECK(rows[1].difference == "heads 128");
}

TEST_CASE("rows that differ in nothing else differ in their environment") {
  std::vector<Summary> rows{row_of("415d00", "a"), row_of("022f00", "a")};
  tell_differences(rows, [](const std::string& point) {
    const bool first = point == "415d00";
    return "SLURM_JOB_ID=" + point + "\nCUDA_HOME=/usr\nNCCL_ALGO=" + (first ? "Ring" : "Tree") +
           "\n" + (first ? "OMP_NUM_THREADS=4\n" : "");
  });
  CHECK(rows[0].difference == "NCCL_ALGO=Ring OMP_NUM_THREADS=4");
  CHECK(rows[1].difference == "NCCL_ALGO=Tree no OMP_NUM_THREADS");
  tell_differences(rows, [](const std::string&) { return std::string(); });
  CHECK(rows[0].difference == "the sweep file's env");
}
