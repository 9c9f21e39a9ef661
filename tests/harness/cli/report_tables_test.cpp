// SPDX-License-Identifier: Apache-2.0
// report --checkpoints and report --collectives.
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

std::string saving_log(double seconds) {
  return test::dump() + test::row(1, 1000) + test::row(2, 1000) +
         "saving checkpoint at iteration       2 to /x\n"
         "  successfully saved checkpoint at iteration       2 to /x\n" +
         fmt::format("time (ms) | save-checkpoint: {:.2f}\n", seconds * 1000) + test::row(3, 1000);
}

std::string network_log(double busbw) {
  return fmt::format(
      "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 1 minBytes 8 maxBytes 128\n"
      "#  Rank  0 Group  0 Pid  7 on  gpu-a device  0 [0x07] NVIDIA A100\n"
      "#  Rank  1 Group  0 Pid  8 on  gpu-b device  0 [0x07] NVIDIA A100\n"
      "#                                                              out-of-place\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n"
      "    67108864      16777216     float     sum      -1   1500.0   44.74   {:.2f}      0\n",
      busbw);
}

}  // namespace

TEST_CASE("report --checkpoints tells how long those of each point took") {
  const Workplace here;
  here.write("a.log", saving_log(10));
  here.write("b.log", saving_log(14));
  here.pippin("collect a.log b.log");
  const auto table = here.pippin("report --checkpoints");
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, Contains("save") && Contains("12.0 ± 2.8"));
  const auto csv = here.pippin("report --checkpoints --format csv");
  CHECK_THAT(csv.out, Contains("sweep,point,trainer,size,nodes,gpus,kind,runs,count,mean_s,sd_s"));
  CHECK_THAT(csv.out, Contains("save,2,2,12,"));
}

TEST_CASE("a checkpoint that came to a log later is added once") {
  const Workplace here;
  const std::string log = saving_log(10);
  here.write("a.log", log.substr(0, log.find("saving checkpoint")));
  here.pippin("collect a.log");
  here.write("a.log", log);
  here.pippin("collect a.log");
  here.pippin("collect a.log");
  CHECK(here.sql("SELECT count(*), max(seconds) FROM checkpoints") == "1|10.0");
}

TEST_CASE("checkpoints go with their run: dropped, and merged but once") {
  const Workplace here;
  here.write("a.log", saving_log(10));
  here.pippin("collect a.log");
  here.shell("$PIPPIN --db other.db collect a.log");
  here.pippin("merge other.db");
  here.pippin("merge other.db");
  CHECK(here.sql("SELECT count(*) FROM checkpoints") == "1");
  here.pippin("drop 1 --because 'a bad day'");
  CHECK_THAT(here.pippin("report --checkpoints --format csv").out, !Contains(",save,"));
}

TEST_CASE("report --collectives tells what all_reduce reaches by size") {
  const Workplace here;
  here.write("a.log", network_log(80));
  here.write("b.log", network_log(90));
  here.pippin("collect a.log b.log");
  const auto table = here.pippin("report --collectives");
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, Contains("all_reduce") && Contains("64.0 MiB") && Contains("85.0 ± 7.1"));
  CHECK_THAT(here.pippin("report --collectives --format json").out,
             Contains("\"size_bytes\": 67108864"));
}

TEST_CASE("a database without checkpoints or collectives says where they come from") {
  const Workplace here;
  here.write("a.log", test::dump() + test::row(1, 1000) + test::row(2, 1000));
  here.pippin("collect a.log");
  CHECK_THAT(here.pippin("report --checkpoints").err, Contains("holds no checkpoint"));
  CHECK_THAT(here.pippin("report --collectives").err, Contains("nccl-tests"));
  const auto both = here.pippin("report --checkpoints --collectives");
  CHECK(both.exit_code != 0);
  CHECK_THAT(both.err, Contains("excludes"));
}
