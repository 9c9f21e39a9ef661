// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

/// The program with a canary of the test's own beside the other probes: it counts its readings in
/// their TFLOPS.
class Aviary {
 public:
  explicit Aviary(const std::string& canary = kSound) {
    here.write("bin/probes/canary", "#!/bin/bash\n" + canary);
    const Call made = here.shell(
        "chmod +x bin/probes/canary && cp \"$PIPPIN\" bin/pippin && "
        "ln -s \"$(dirname \"$PIPPIN\")\"/probes/{replay,training} bin/probes/");
    REQUIRE(made.exit_code == 0);
  }
  Call pippin(const std::string& arguments) const {
    return here.shell("bin/pippin --db t.db " + arguments);
  }

  Workplace here;

 private:
  static constexpr const char* kSound = R"bash(
n=$(($(cat "$TMPDIR/count" 2>/dev/null || echo 0) + 1))
echo $n >"$TMPDIR/count"
echo "canary: $*"
echo '{"canary":1,"seconds":'$2',"ranks":2,"nodes":1,"gemm":{"m":8,"n":8,"k":8,"tflops_min":0,' \
  '"tflops_median":'$n',"tflops_max":9,"slowest_rank":1,"slowest_host":"here"},' \
  '"all_reduce":[{"bytes":8,"time_us_min":1,"time_us_median":2,"time_us_p99":3,' \
  '"busbw_gbs_median":0.5}],"pairs":[]}'
)bash";
};

}  // namespace

TEST_CASE("a canary goes from YAML to the database with one reading between two runs") {
  const Aviary cage;
  cage.here.write("s.yaml", test::replay_sweep("canary: {seconds: 0.25}\n"));
  const Call run = cage.pippin("run s.yaml");
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const Workplace& here = cage.here;
  // Three jobs of four runs each.
  CHECK(here.sql("SELECT count(*), min(duration_s), count(problem) FROM canary_readings") ==
        "15|0.25|0");
  CHECK(here.sql("SELECT count(*), count(DISTINCT reading) FROM run_canaries") == "24|15");
  CHECK(here.sql("SELECT group_concat(after_gemm_tflops - before_gemm_tflops, ' '), "
                 "min(before_all_reduce_busbw_gb_per_s) FROM canary_overview") ==
        "1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0|0.5");
  CHECK(here.sql("SELECT count(*) FROM canary_readings JOIN run_canaries ON reading = "
                 "canary_readings.id JOIN runs "
                 "ON runs.id = run WHERE taken_at < runs.started_at - 9 OR taken_at > "
                 "runs.ended_at + 9") == "0");
  const std::string before = here.sql("SELECT * FROM canary_overview");
  CHECK(cage.pippin("collect").exit_code == 0);
  CHECK(here.sql("SELECT * FROM canary_overview") == before);
  CHECK(here.shell("rm t.db && bin/pippin --db t.db collect").exit_code == 0);
  CHECK(here.sql("SELECT count(*), count(DISTINCT reading) FROM run_canaries") == "24|15");
}

TEST_CASE("a canary that fails leaves its runs and is kept as what it was") {
  const Aviary cage("echo 'canary: no device' >&2; exit 14\n");
  cage.here.write("s.yaml", test::replay_sweep("canary: {seconds: 0.25}\n"));
  const Call run = cage.pippin("run s.yaml");
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK(cage.here.sql("SELECT count(*) FROM runs WHERE state = 'ok'") == "12");
  CHECK(cage.here.sql("SELECT DISTINCT before_problem, after_problem FROM canary_overview") ==
        "exit 14: canary: no device|exit 14: canary: no device");
  CHECK(cage.here.shell("grep -hc 'a canary exits 14' t.db.runs/replayed/jobs/*/job.log").out ==
        "1\n1\n1\n");
}

TEST_CASE("a cluster's own canary is read where it prints such figures and left where not") {
  const Aviary cage;
  const std::string cluster = "cluster: {{scheduler: local, canary: '{}'}}\n";
  const std::string sweep = test::replay_sweep("");
  const auto with = [&](const std::string& canary) {
    std::string text = sweep;
    return text.replace(text.find("cluster: local\n"), 15,
                        fmt::format(fmt::runtime(cluster), canary));
  };
  cage.here.write("s.yaml", with("bin/probes/canary --seconds {ranks}"));
  CHECK(cage.pippin("run s.yaml").exit_code == 0);
  CHECK(cage.here.sql("SELECT count(*), max(duration_s) FROM canary_readings") == "15|16.0");
  cage.here.write("s.yaml", with("echo 19.5 TFLOPS"));
  CHECK(cage.pippin("run s.yaml --again").exit_code == 0);
  CHECK(cage.here.sql("SELECT count(*) FROM canary_readings") == "15");
}

TEST_CASE("each way in which a probe of ours fails is a class of its own") {
  struct Case {
    std::string exit_code, line, state, evidence, tries;
  };
  const Case cases[] = {
      {"12", "training: out of memory (std::bad_alloc): tried 1 GiB", "oom",
       "out of memory: training: out of memory (std::bad_alloc): tried 1 GiB", "1"},
      {"13", "training: --heads 4 does not divide --hidden 66", "failed",
       "bad layout: training: --heads 4 does not divide --hidden 66", "1"},
      {"14", "training: no device", "failed", "no device: training: no device", "1"},
      {"15", "training: rank 3 on node2 died: killed", "failed",
       "lost rank: training: rank 3 on node2 died: killed", "3"},
  };
  for (const auto& entry : cases) {
    CAPTURE(entry.exit_code);
    const Workplace here;
    here.write("s.yaml", fmt::format("sweep: s\ngrid: {{mbs: [1]}}\ncommand: \"echo '{}' >&2; "
                                     "exit {} # {{mbs}}\"\n",
                                     entry.line, entry.exit_code));
    const Call run = here.pippin("run s.yaml");
    CAPTURE(run.err);
    CHECK(run.exit_code == 1);
    CHECK(here.sql("SELECT state, evidence FROM runs") == entry.state + "|" + entry.evidence);
    CHECK(here.shell("cat t.db.runs/s/jobs/*/*.log | grep -c starts").out == entry.tries + "\n");
    here.shell("rm t.db");
    CHECK(here.pippin("collect").exit_code == 0);
    CHECK(here.sql("SELECT state, evidence FROM runs") == entry.state + "|" + entry.evidence);
  }
}
