// SPDX-License-Identifier: Apache-2.0
#include "core/records/stored_run.h"

#include "tests/db/sample_runs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

TEST_CASE("what is stored of a run beside its lines is said as it was put there") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(test::campaign_of());
  RunRecord record = test::run_of("r1", test::log_of(1, 3));
  record.state = RunState::kTimeout;
  record.provenance.command = "train --trace x";
  record.provenance.script = "/jobs/job.sh";
  record.provenance.environment = "A=b\n";
  database.put_run(record);
  const StoredRun run = database.stored_run(database.runs_named("r1").at(0).id);
  CHECK(run.name == "r1");
  CHECK(run.point == "52b-tp2");
  CHECK(run.sweep == "gpt");
  CHECK(run.campaign == 1);
  CHECK(run.state == RunState::kTimeout);
  CHECK(run.ranks == 4);
  CHECK(run.log == record.file->path());
  CHECK(run.command == "train --trace x");
  CHECK(run.script == "/jobs/job.sh");
  CHECK(run.environment == "A=b\n");
  CHECK(run.started_at == 1712372532);
}

TEST_CASE("of a log from elsewhere there is no campaign and no command") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, folder / "x.log", test::log_of(1, 3));
  const StoredRun run = database.stored_run(1);
  CHECK(run.sweep.empty());
  CHECK_FALSE(run.campaign);
  CHECK(run.command.empty());
  CHECK(run.log == (folder / "x.log").string());
}
