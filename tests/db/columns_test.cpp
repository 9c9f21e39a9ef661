// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

/// Every field with a value of its own.
LogRun full_log() {
  LogRun log = scrape(test::dump() + test::row(1, 100)).at(0);
  Iteration line;
  line.number = 1;
  line.step_time_ms = 2;
  line.interval = 3;
  line.flags = 4;
  line.gbs = 5;
  line.consumed_samples = 6;
  line.skipped = 7;
  line.nan = 8;
  line.lm_loss = 9.5;
  line.learning_rate = 10.5;
  line.loss_scale = 11.5;
  line.grad_norm = 12.5;
  line.other = {{"x", value_of(13.5)}};
  log.iterations = Iterations({line});
  log.memory = {{3, 1.5, 2.5, 3.5, 4.5}};
  log.arguments = {{"b", value_of(std::string("1"))}, {"a", value_of(std::string("2"))}};
  log.started_at = 1700000001;
  log.recompute = "full";
  log.evidence = "why";
  log.end = RunState::kTimeout;
  log.scraper_version = 21;
  return log;
}

struct Stored {
  test::TemporaryDirectory folder;
  Database database{folder / "t.db"};

  std::string text(const std::string& sql) { return test::sql_text(folder / "t.db", sql); }
};

}  // namespace

TEST_CASE("every figure of a log stands in the column of its name") {
  Stored stored;
  stored.database.add_foreign_log({"dir/a b.out", "text of it"}, {full_log()});
  CHECK(stored.text("SELECT position || ' ' || iteration || ' ' || step_time_ms || ' ' || interval "
                    "|| ' ' || flags || ' ' || gbs || ' ' || consumed_samples || ' ' || skipped || "
                    "' ' || nan || ' ' || lm_loss || ' ' || learning_rate || ' ' || loss_scale || "
                    "' ' || grad_norm FROM iterations") ==
        "1 1 2.0 3 4 5 6 7 8 9.5 10.5 11.5 12.5");
  CHECK(stored.text("SELECT json_extract(other, '$.x') FROM iterations") == "13.5");
  CHECK(stored.text("SELECT rank || ' ' || allocated_mib || ' ' || max_allocated_mib || ' ' || "
                    "reserved_mib || ' ' || max_reserved_mib FROM rank_memory") ==
        "3 1.5 2.5 3.5 4.5");
  CHECK(stored.text("SELECT group_concat(position || name || value, ' ') FROM arguments") ==
        "1b1 2a2");
  CHECK(stored.text("SELECT state || ' ' || evidence || ' ' || recompute || ' ' || started_at || "
                    "' ' || scraper_version || ' ' || position FROM runs") ==
        "timeout why full 1700000001 21 1");
  CHECK(stored.text("SELECT path || ' ' || size_bytes FROM logs") == "dir/a b.out 10");
  CHECK(stored.text("SELECT name FROM runs") == file_name_of("a b"));
}

TEST_CASE("every field of a run stands in the column of its name") {
  Stored stored;
  stored.database.put_campaign(test::campaign_of());
  RunRecord run = test::run_of("r", "", 2);
  run.place = {"gpt", 1, "gpt-a3", 3, 4, 5};
  run.state = RunState::kFailed;
  run.evidence = "why";
  run.exit_code = 6;
  run.provenance = {"a", "b", "c", "d", "e", "f", "g", "h", "i", 1700000002, 1700000003};
  run.log = full_log();
  const std::string all =
      "SELECT state || ' ' || evidence || ' ' || exit_code || ' ' || repeat || ' ' || "
      "runs.position || ' ' || started_at || ' ' || ended_at || ' ' || command || script || "
      "environment || node_list || gpu_model || driver || nccl || git_commit || host || ' ' || "
      "recompute || ' ' || scraper_version || ' ' || allocations.name || ' ' || "
      "allocations.attempt || ' ' || allocations.number FROM runs JOIN allocations ON "
      "allocations.id = runs.allocation";
  stored.database.put_run(run);
  CHECK(stored.text(all) == "failed why 6 4 5 1700000002 1700000003 abcdefghi full 21 gpt-a3 2 3");
  run.provenance = {"z", "y", "x", "w", "v", "u", "t", "s", "r", {}, 1700000005};
  run.state = RunState::kOk;
  run.evidence = "how";
  run.exit_code = 0;
  run.place.repeat = 7;
  run.place.position = 8;
  run.place.allocation = 9;
  stored.database.put_run(run);  // without a start of its own the log's counts
  CHECK(stored.text(all) == "ok how 0 7 8 1700000001 1700000005 zyxwvutsr full 21 gpt-a3 2 9");
}

TEST_CASE("every field of a point and a campaign stands in the column of its name") {
  Stored stored;
  auto campaign = test::campaign_of(3);
  Point& point = campaign.points[0].point;
  point.model = {"52B", "gpt2", 11, 12, 13, 14, 15, 16, 17, 18, 19, 31, 32, 33};
  point.layout = {21, 22, 23, 24, 25, 26, 27, 28};
  point.id = point_id(point);
  campaign.accelerator = "h100";
  campaign.peak_tflops = {{"bf16", 989.5}};
  stored.database.put_campaign(campaign);
  CHECK(stored.text("SELECT size || style || ' ' || layers || hidden || heads || kv_heads || ffn "
                    "|| seq || vocab || padded_vocab || params || active_params || token_weights "
                    "|| attention_widths || ' ' || tp || pp || dp || cp || "
                    "mbs || gas || gpus || gbs || ' ' || name || ' ' || trainer FROM points "
                    "WHERE tp = 21") ==
        "52Bgpt2 111213141516171819313233 2122232425262728 52b-tp2 replay");
  CHECK(stored.text("SELECT group_concat(position || point_axes.name || text || "
                    "coalesce(number, '-'), ' ') FROM point_axes JOIN points ON points.id = "
                    "point_axes.point WHERE tp = 21") == "1zero11.0 2offloadnone-");
  CHECK(stored.text("SELECT number || ' ' || started || ' ' || cluster || ' ' || run_order || ' ' "
                    "|| seed || ' ' || warmup FROM campaigns") ==
        "3 2024-04-06T03:02:12Z local blocks 18446744073709551615 2");
  CHECK(stored.text("SELECT accelerator || number_type || tflops FROM campaign_peaks") ==
        "h100bf16989.5");
  CHECK(stored.text("SELECT group_concat(position || state || coalesce(reason, '-'), ' ') FROM "
                    "campaign_points") == "1planned- 2infeasiblewhere: 4 % tp == 0");
  const auto samples = stored.database.samples();
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].point.model == point.model);
  CHECK(samples[0].point.layout == point.layout);
  CHECK(samples[0].point.trainer == "replay");
  CHECK(samples[0].peak_tflops == PeakTflops{{"bf16", 989.5}});
}

TEST_CASE("a run's samples say when and where it ran, and which attempt it was") {
  Stored stored;
  for (std::int64_t number : {1, 2}) stored.database.put_campaign(test::campaign_of(number));
  stored.database.put_run(test::run_of("r", test::log_of(1, 2)));
  auto later = test::run_of("s", "", 2);
  later.evidence = "why";
  stored.database.put_run(later);
  auto second = test::run_of("t", "");
  second.place.campaign = 2;
  second.provenance.started_at.reset();
  stored.database.put_run(second);
  const auto samples = stored.database.samples();
  const auto& runs = samples.at(0).runs;
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].allocation == "gpt-a1");
  CHECK(runs[0].day == "2024-04-06");
  CHECK(runs[0].started_at == 1712372532);
  CHECK(runs[0].warmup == 2);
  CHECK(runs[1].allocation == "gpt-a1/campaign1/attempt2");
  CHECK(runs[1].evidence == "why");
  CHECK(runs[2].allocation == "gpt-a1/campaign2/attempt1");
  CHECK(runs[2].day.empty());
  CHECK_FALSE(runs[2].started_at);
  const auto lines = stored.database.lines_of(runs[0].id);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].number == 1);
  CHECK(lines[0].step_time_ms == 101);
  CHECK(lines[0].flags == kFirst);
  CHECK(lines[0].interval == 1);
  CHECK(lines[0].gbs == 8);
  CHECK(stored.database.samples({"gpt", 2}).at(0).runs.size() == 1);
  CHECK(stored.database.samples({"", {}}).empty());
}

TEST_CASE("a run's log tells of its point's model what the shape does not say") {
  Stored stored;
  const auto figures = [&] {
    return stored.text(
        "SELECT group_concat(style || ' ' || coalesce(params, '-') || ' ' || "
        "coalesce(active_params, '-') || ' ' || coalesce(token_weights, '-')) FROM points");
  };
  auto campaign = test::campaign_of();
  campaign.points.pop_back();
  campaign.points[0].point.model.style = "gpt2";
  campaign.points[0].point.model.params = 5;
  stored.database.put_campaign(campaign);
  RunRecord run = test::run_of("r", test::log_of(1, 2));
  run.log->configured = true;
  Model& model = run.log->point.model;
  const auto told = [&] {
    stored.database.put_run(run);
    return figures();
  };
  model.params = 9;
  CHECK(told() == "gpt2 5 - -");  // as planned
  model.style = "moe";
  model.params.reset();
  CHECK(told() == "moe - - -");  // of which a dense model's parameters are not
  stored.database.put_campaign(campaign);
  CHECK(figures() == "moe - - -");
  model.params = 9;
  model.active_params = 3;
  CHECK(told() == "moe 9 3 -");
  model.active_params.reset();  // it ended before it said so
  CHECK(told() == "moe 9 3 -");
  model.active_params = 2;
  model.token_weights = 4;
  CHECK(told() == "moe 9 2 4");
  run.log->configured = false;
  model.token_weights = 6;
  CHECK(told() == "moe 9 2 4");
  run.log->configured = true;
  model.active_params = 1;
  CHECK(told() == "moe 9 1 6");
  model.active_params.reset();  // whole as its dump is, it died before it said its vocabulary
  model.token_weights.reset();
  model.params.reset();
  CHECK(told() == "moe 9 1 6");
  stored.database.put_campaign(campaign);
  CHECK(figures() == "moe 9 1 6");
}

TEST_CASE("a plan that is put again replaces peaks, points and reasons") {
  Stored stored;
  auto campaign = test::campaign_of();
  campaign.points[0].point.model.params.reset();
  campaign.peak_tflops = {{"bf16", 1}, {"fp16", 2}};
  stored.database.put_campaign(campaign);
  campaign.peak_tflops = {{"bf16", 3}};
  campaign.points.pop_back();
  campaign.warmup.reset();
  campaign.points[0].point.model.params = 5;
  stored.database.put_campaign(campaign);
  const auto samples = stored.database.samples();
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].peak_tflops == PeakTflops{{"bf16", 3}});
  CHECK(samples[0].point.model.params == 5);  // which is no part of its identity
  CHECK(stored.text("SELECT coalesce(warmup, '-') FROM campaigns") == "-");
}
