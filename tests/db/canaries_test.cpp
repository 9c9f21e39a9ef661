// SPDX-License-Identifier: Apache-2.0
#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

RunRecord run_with(const std::string& name, std::optional<CanaryReading> before,
                   std::optional<CanaryReading> after, std::int64_t attempt = 1) {
  RunRecord run = test::run_of(name, test::log_of(1, 3), attempt);
  run.canary_before = std::move(before);
  run.canary_after = std::move(after);
  return run;
}

/// A database of one campaign.
struct Stored {
  Stored() : database(folder / "t.db") { database.put_campaign(test::campaign_of()); }
  std::string text(const std::string& sql) const { return test::sql_text(folder / "t.db", sql); }
  std::int64_t number(const std::string& sql) const {
    return db::Connection(folder / "t.db", false).number(sql);
  }
  /// Everything about canaries.
  std::string all() const {
    std::string rows;
    for (const std::string from :
         {"(SELECT id || ' ' || allocation || ' ' || number || ' ' || taken_at || ' ' || "
          "coalesce(problem, gemm_median_tflops) AS r FROM canary_readings)",
          "(SELECT reading || ' ' || size_bytes || ' ' || median_us AS r FROM canary_all_reduce)",
          "(SELECT reading || ' ' || node_a || ' ' || bandwidth_gb_per_s AS r FROM canary_pairs)",
          "(SELECT run || ' ' || moment || ' ' || reading AS r FROM run_canaries)"}) {
      rows += text("SELECT group_concat(r, ', ') FROM " + from) + "; ";
    }
    return rows;
  }

  test::TemporaryDirectory folder;
  Database database;
};

}  // namespace

TEST_CASE("a reading between two runs is stored once and is theirs both") {
  Stored stored;
  stored.database.put_run(run_with("one", test::reading_of(1, 1), test::reading_of(2, 2)));
  stored.database.put_run(run_with("two", test::reading_of(2, 2), test::reading_of(3, 3)));
  CHECK(stored.number("SELECT count(*) FROM canary_readings") == 3);
  CHECK(stored.number("SELECT count(*) FROM canary_all_reduce") == 6);
  CHECK(stored.number("SELECT count(*) FROM canary_pairs") == 3);
  CHECK(stored.text("SELECT group_concat(runs.name || ' ' || moment, ', ') FROM run_canaries "
                    "JOIN canary_readings ON canary_readings.id = reading "
                    "JOIN runs ON runs.id = run WHERE number = 2") == "one after, two before");
  CHECK(stored.text(
            "SELECT taken_at || ' ' || duration_s || ' ' || ranks || ' ' || nodes || ' ' "
            "|| gemm_m || ' ' || gemm_n || ' ' || gemm_k || ' ' || gemm_slowest_rank || "
            "' ' || gemm_slowest_host || ' ' || library FROM canary_readings WHERE number = 1") ==
        "1700000001 4.9 8 2 512 256 128 3 n2 NCCL 2.28.9");
}

TEST_CASE("collecting a run again changes none of its readings") {
  Stored stored;
  const RunRecord run = run_with("one", test::reading_of(1), test::reading_of(2));
  stored.database.put_run(run);
  const std::string before = stored.all();
  stored.database.put_run(run);
  CHECK(stored.all() == before);
  CHECK(stored.number("SELECT count(*) FROM canary_readings") == 2);
}

TEST_CASE("a reading that comes later is added and one that is gone stays") {
  Stored stored;
  stored.database.put_run(run_with("one", test::reading_of(1), std::nullopt));
  CHECK(stored.number("SELECT count(*) FROM run_canaries") == 1);
  stored.database.put_run(run_with("one", test::reading_of(1), test::reading_of(2)));
  CHECK(stored.number("SELECT count(*) FROM run_canaries") == 2);
  stored.database.put_run(run_with("one", std::nullopt, std::nullopt));
  CHECK(stored.number("SELECT count(*) FROM run_canaries") == 2);
}

TEST_CASE("a canary that failed is stored with what went wrong until it is read better") {
  Stored stored;
  CanaryReading failed{1, 1700000000, "exit 14: canary: no device", {}};
  stored.database.put_run(run_with("one", failed, std::nullopt));
  CHECK(stored.text("SELECT before_problem FROM canary_overview") == "exit 14: canary: no device");
  CHECK(stored.number("SELECT gemm_median_tflops IS NULL AND ranks IS NULL AND "
                      "gemm_slowest_host IS NULL AND library IS NULL FROM canary_readings") == 1);
  stored.database.put_run(run_with("one", test::reading_of(1), std::nullopt));
  CHECK(stored.number("SELECT problem IS NULL AND gemm_median_tflops = 2 FROM canary_readings") ==
        1);
  stored.database.put_run(run_with("one", failed, std::nullopt));
  CHECK(stored.number("SELECT count(*) FROM canary_all_reduce") == 0);
}

TEST_CASE("another attempt at a run leaves the readings that others have") {
  Stored stored;
  stored.database.put_run(run_with("one", test::reading_of(1), test::reading_of(2)));
  stored.database.put_run(run_with("two", test::reading_of(2), test::reading_of(3)));
  stored.database.put_run(run_with("two", test::reading_of(1, 7), test::reading_of(2, 8), 2));
  CHECK(stored.text("SELECT group_concat(attempt || '.' || canary_readings.number, ' ') FROM "
                    "canary_readings JOIN allocations ON allocations.id = allocation") ==
        "1.1 1.2 2.1 2.2");
  CHECK(stored.number("SELECT count(*) FROM pragma_foreign_key_check") == 0);
}

TEST_CASE("the overview has each run with what was measured before and after it") {
  Stored stored;
  stored.database.put_run(run_with("one", test::reading_of(1, 1), test::reading_of(2, 2)));
  stored.database.put_run(run_with("bare", std::nullopt, std::nullopt));
  CHECK(stored.text("SELECT group_concat(run_name || ' ' || coalesce(before_gemm_tflops || ' ' || "
                    "after_gemm_tflops || ' ' || before_all_reduce_bytes || ' ' || "
                    "before_all_reduce_busbw_gb_per_s || ' ' || "
                    "after_all_reduce_busbw_gb_per_s || ' ' || before_taken, '-'), ', ') "
                    "FROM canary_overview ORDER BY run") ==
        "one 2.0 3.0 4194304 7.3 14.6 2023-11-14 22:13:21, bare -");
}

TEST_CASE("a canary of one rank has no all-reduce in the overview") {
  Stored stored;
  CanaryReading alone = test::reading_of(1);
  alone.figures->all_reduce.clear();
  alone.figures->pairs.clear();
  stored.database.put_run(run_with("one", alone, std::nullopt));
  CHECK(stored.number("SELECT before_gemm_tflops = 2 AND before_all_reduce_bytes IS NULL AND "
                      "before_all_reduce_busbw_gb_per_s IS NULL FROM canary_overview") == 1);
}

TEST_CASE("evidence tells of each run its nodes and readings") {
  Stored here;
  here.database.put_run(run_with("a", test::reading_of(1), test::reading_of(2, 5)));
  here.database.put_run(run_with("b", test::reading_of(2, 5), std::nullopt));
  CanaryReading failed;
  failed.number = 3;
  failed.problem = "no MPI";
  here.database.put_run(run_with("c", failed, std::nullopt));
  const auto found = here.database.evidence({}).runs;
  REQUIRE(found.size() == 3);
  CHECK(found[0].nodes == std::vector<std::string>{"n1", "n2", "n3", "n4"});
  REQUIRE(found[0].before);
  CHECK(found[0].before->all_reduce_bytes == 4194304);
  CHECK(found[0].before->all_reduce_us == 1000);
  CHECK(found[0].before->gemm.min_tflops == 1);
  CHECK(found[0].before->gemm.slowest_host == "n2");
  REQUIRE(found[0].before->pairs.size() == 1);
  CHECK(found[0].before->pairs[0].gb_per_s == 1.2);
  CHECK(found[0].after->gemm.min_tflops == 5);
  CHECK(found[0].after->reading == found[1].before->reading);
  CHECK(found[1].before->pairs.size() == 1);
  CHECK_FALSE(found[1].after);
  CHECK_FALSE(found[2].before);
  CHECK(here.database.evidence({"gpt", 1}).runs.size() == 3);
  CHECK(here.database.evidence({"gpt", 2}).runs.empty());
  CHECK(here.database.evidence({"", {}}).runs.empty());
}

TEST_CASE("a reading's nodes and pairs are stored with what they were measured by") {
  Stored stored;
  stored.database.put_run(run_with("one", test::reading_of(1), std::nullopt));
  CHECK(stored.text("SELECT group_concat(node || ' ' || ranks || ' ' || gemm_min_tflops, ', ') "
                    "FROM canary_nodes") == "n1 0-3 2.0, n2 4-7 1.0");
  CHECK(stored.text("SELECT size_bytes || ' ' || repetitions FROM canary_pairs") == "4194304 20");
  const auto evidence = stored.database.evidence({});
  REQUIRE(evidence.runs.size() == 1);
  const CanaryEvidence& before = *evidence.runs[0].before;
  CHECK(before.ranks == 8);
  CHECK(before.nodes == 2);
  REQUIRE(before.by_node.size() == 2);
  CHECK(before.by_node[1].min_tflops == 1);
  CHECK(evidence.collected.empty());
}

TEST_CASE("where ranks are is known from a canary of as many") {
  Stored stored;
  RunRecord run = run_with("one", test::reading_of(1), std::nullopt);
  run.provenance.node_list = "n[1-3]";
  const auto ranks = [&] {
    return stored.text(
        "SELECT group_concat(name || ':' || coalesce(ranks, '-'), ' ') FROM "
        "(SELECT name, ranks FROM run_nodes JOIN nodes ON nodes.id = node ORDER BY name)");
  };
  stored.database.put_run(run);
  CHECK(ranks() == "n1:- n2:- n3:-");  // the run's GPUs are not 8
  db::Connection(stored.folder / "t.db", false).run("UPDATE points SET gpus = 8");
  stored.database.put_run(run);
  CHECK(ranks() == "n1:0-3 n2:4-7 n3:-");
}

TEST_CASE("collected tables of a network are evidence, each once, and follow their file") {
  Stored stored;
  const CanaryFigures table = *test::reading_of(1).figures;
  const auto add = [&](const std::string& path, const std::string& text) {
    return stored.database.add_network_tables({path, text}, 1700000000, {table, table});
  };
  CHECK(add("a.txt", "one").network_tables == 2);
  CHECK(add("b.txt", "one").network_tables == 0);
  CHECK(stored.database.evidence({}).collected.size() == 2);
  CHECK(add("a.txt", "other").network_tables == 2);
  CHECK(stored.number("SELECT count(*) FROM canary_readings") == 2);
  CHECK(stored.number("SELECT count(*) FROM canary_nodes") == 4);
  CHECK(add("c.txt", "third").logs == 1);
  const auto collected = stored.database.evidence({}).collected;
  REQUIRE(collected.size() == 4);
  CHECK(collected[0].taken_at == 1700000000);
  CHECK(collected[0].all_reduce_bytes == 4194304);
  REQUIRE(collected[0].pairs.size() == 1);
  CHECK(collected[0].pairs[0].repetitions == 20);
  CHECK(stored.number("SELECT count(*) FROM pragma_foreign_key_check") == 0);
}
