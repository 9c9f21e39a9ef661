// SPDX-License-Identifier: Apache-2.0
#include "core/records/whole_run.h"

#include "db/database.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

/// A run with all that one can have.
RunRecord full_run(const std::string& name, std::int64_t position) {
  RunRecord run = test::run_of(name, test::log_of(1, 4));
  run.place.position = position;
  run.state = RunState::kFailed;
  run.evidence = "exit 1: boom";
  run.exit_code = 1;
  Provenance& from = run.provenance;
  from.command = "train --tp 2";
  from.script = "#!/bin/bash";
  from.environment = "A=1";
  from.gpu_model = "H100";
  from.driver = "550";
  from.nccl = "2.28.9";
  from.git_commit = "abc";
  from.host = "n1";
  from.ended_at = *from.started_at + 60;
  run.file = LogFile("/logs/" + name, "a log of " + name);
  run.log->memory = {{0, 1.0, 2.0, 3.0, 4.0}, {5, 1.5, 2.5, {}, {}}};
  run.log->slowest_ranks = {{3, "n1", 2, 10.5, 9.5}};
  run.log->checkpoints.push_back({});
  run.log->checkpoints[0].step = 3;
  run.log->checkpoints[0].seconds = 2.5;
  run.log->checkpoints[0].path = "/ckpt/3";
  run.log->planned_iterations = 20;
  run.log->nan_from = 4;
  run.canary_before = test::reading_of(1, 100);
  run.canary_after = CanaryReading{2, 1700000002, "mpirun: not found", {}};
  return run;
}

struct Stored {
  Stored() : database(folder / "t.db") {
    database.put_campaign(test::campaign_of());
    database.put_run(full_run("r1", 1));
    database.put_run(full_run("r2", 2));
  }
  std::int64_t id_of(const std::string& run) {
    const auto runs = database.runs_named(run);
    REQUIRE(runs.size() == 1);
    return runs.front().id;
  }

  test::TemporaryDirectory folder;
  Database database;
};

}  // namespace

TEST_CASE("a whole run is all that was stored of it") {
  Stored stored;
  const std::int64_t id = stored.id_of("r1");
  stored.database.put_note({id}, "slow");
  stored.database.put_note({id}, "very slow");
  const WholeRun run = stored.database.whole_run(id, 1);
  const RunRecord record = full_run("r1", 1);
  CHECK(run.listed.name == "r1");
  CHECK(run.listed.sweep == "gpt");
  CHECK(run.listed.campaign == 1);
  CHECK(run.listed.point == "52b-tp2");
  CHECK(run.listed.allocation == "gpt-a1");
  CHECK(run.listed.state == RunState::kFailed);
  CHECK(run.listed.evidence == "exit 1: boom");
  CHECK(run.listed.warmup == 2);
  CHECK(run.listed.note == "very slow");
  CHECK_FALSE(run.listed.dropped);
  CHECK(run.point.id == record.point_id);
  CHECK(run.point.axes == test::point_named("52b-tp2", 2).axes);
  CHECK(run.cluster == "local");
  CHECK(run.repeat == 1);
  CHECK(run.exit_code == 1);
  const auto& from = run.provenance;
  const auto& given = record.provenance;
  CHECK(from.command == given.command);
  CHECK(from.script == given.script);
  CHECK(from.environment == given.environment);
  CHECK(from.node_list == given.node_list);
  CHECK(from.gpu_model == given.gpu_model);
  CHECK(from.driver == given.driver);
  CHECK(from.nccl == given.nccl);
  CHECK(from.git_commit == given.git_commit);
  CHECK(from.host == given.host);
  CHECK(from.started_at == given.started_at);
  CHECK(from.ended_at == given.ended_at);
  REQUIRE(run.log);
  CHECK(run.log->path == "/logs/r1");
  CHECK(run.log->content_hash == record.file->content_hash());
  CHECK(run.log->runs_with_steps == 1);
  CHECK(run.log->ordinal == 0);
  CHECK(run.planned_iterations == 20);
  CHECK(run.last_iteration == 4);
  CHECK(run.nan_from == 4);
  CHECK(run.arguments == record.log->arguments);
  REQUIRE(run.memory.size() == 2);
  CHECK(run.memory[1].rank == 5);
  CHECK(run.memory[1].max_allocated_mib == 2.5);
  CHECK_FALSE(run.memory[1].max_reserved_mib);
  REQUIRE(run.nodes.size() == 4);
  CHECK(run.nodes[0].name == "n1");
  REQUIRE(run.slowest_ranks.size() == 1);
  CHECK(run.slowest_ranks[0].computing_ms == 10.5);
  CHECK(run.checkpoints == record.log->checkpoints);
  REQUIRE(run.before);
  REQUIRE(run.before->figures);
  CHECK(run.before->figures->gemm.median_tflops == 101);
  CHECK(run.before->figures->gemm.slowest_host == "n2");
  CHECK(run.before->figures->all_reduce.size() == 2);
  CHECK(run.before->figures->by_node.size() == 2);
  CHECK(run.before->figures->pairs.size() == 1);
  REQUIRE(run.after);
  CHECK(run.after->problem == "mpirun: not found");
  CHECK_FALSE(run.after->figures);
  REQUIRE(run.notes.size() == 2);
  CHECK(run.notes[1].text == "very slow");
}

TEST_CASE("of a log with several runs a whole run says which of them it is") {
  test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, "/logs/two", test::log_of(1, 3) + test::log_of(1, 3, 50));
  const auto runs = database.runs_of({"", {}});
  REQUIRE(runs.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const WholeRun run = database.whole_run(runs[i].id, 1);
    REQUIRE(run.log);
    CHECK(run.log->ordinal == i);
    CHECK(run.log->runs_with_steps == 2);
    CHECK(run.listed.sweep.empty());
  }
}

TEST_CASE("of a log from elsewhere there is no campaign and no command") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, folder / "x.log", test::log_of(1, 3));
  const WholeRun run = database.whole_run(1, 1);
  CHECK(run.listed.sweep.empty());
  CHECK_FALSE(run.listed.campaign);
  CHECK(run.provenance.command.empty());
  REQUIRE(run.log);
  CHECK(run.log->path == (folder / "x.log").string());
}

TEST_CASE("runs are listed by allocation, by point, by node, and those that failed") {
  Stored stored;
  stored.database.drop({{stored.id_of("r2")}, {}, false}, "bad node");
  RunsOf of_allocation, of_point, of_node, of_other, failed;
  of_allocation.allocation = stored.database.whole_run(stored.id_of("r1"), 1).allocation_id;
  of_point.point = test::point_named("52b-tp2", 2).id;
  of_node.node = "n2";
  of_other.node = "n9";
  failed.failed_in = CampaignName{"gpt", 1};
  for (const RunsOf& of : {of_allocation, of_point, of_node, failed}) {
    const RunList list = stored.database.listed_runs(of, 1);
    REQUIRE(list.runs.size() == 2);
    CHECK(list.left_out == 0);
  }
  const RunList in_order = stored.database.listed_runs(of_allocation, 1);
  CHECK(in_order.runs[0].name == "r1");
  CHECK(in_order.runs[1].dropped == "bad node");
  CHECK(stored.database.listed_runs(of_other, 1).runs.empty());
  for (RunsOf of : {of_allocation, of_point, of_node, failed}) {
    of.most = 1;
    const RunList list = stored.database.listed_runs(of, 1);
    CHECK(list.runs.size() == 1);
    CHECK(list.left_out == 1);
  }
}

TEST_CASE("a point is known by its name, its id, and the beginning of its id") {
  Stored stored;
  const Point point = test::point_named("52b-tp2", 2);
  for (const std::string& name : {point.name, point.id, point.id.substr(0, 8)}) {
    const auto found = stored.database.points_named(name);
    REQUIRE(found.size() == 1);
    CHECK(found[0].id == point.id);
    CHECK(found[0].axes == point.axes);
  }
  CHECK(stored.database.points_named(point.id.substr(0, 7)).empty());
  CHECK(stored.database.points_named("52b").empty());
  const auto selections = stored.database.selections_of(point.id);
  REQUIRE(selections.size() == 1);
  CHECK(selections[0].sweep == "gpt");
  CHECK(selections[0].campaign == 1);
}

TEST_CASE("a node has its readings and its links") {
  Stored stored;
  CHECK(stored.database.has_node("n1"));
  CHECK_FALSE(stored.database.has_node("n9"));
  const auto readings = stored.database.node_readings("n1");
  REQUIRE_FALSE(readings.empty());
  CHECK(readings[0].gemm_median_tflops == 101);
  CHECK(readings[0].cluster == "local");
  const auto links = stored.database.node_links("n2");
  REQUIRE(links.size() == 1);
  CHECK(links[0].to == "n1");
  CHECK(links[0].gb_per_s.front() == 1.2);
}
