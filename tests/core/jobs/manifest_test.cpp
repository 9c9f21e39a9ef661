// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/manifest.h"

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/nasty.h"

using namespace pippin;

TEST_CASE("a campaign reads back as it was written") {
  Point point;
  point.name = "52b-tp4";
  point.trainer = "training";
  point.model.size = "52B";
  point.model.layers = 64;
  point.layout.tp = 4;
  point.layout.gpus = 64;
  for (const auto& text : test::nasty_texts()) {
    if (!text.empty())
      point.axes.emplace_back("axis" + std::to_string(point.axes.size()), value_of(text));
  }
  point.axes.emplace_back("bucket", value_of(std::string("5e8")));
  point.id = point_id(point);
  Campaign campaign;
  campaign.sweep = "gpt 52b";
  campaign.number = 2;
  campaign.started = "2026-01-02T03:04:05Z";
  campaign.cluster = campaign.scheduler = "local";
  campaign.order = "blocks";
  campaign.seed = 18446744073709551615u;
  campaign.warmup = 3;
  campaign.scrape = {{"scrape.loss", value_of(std::string("loss \"([0-9.]+)\" \\d"))}};
  campaign.log = "train.log";
  campaign.exclude = {"n1", "n2"};
  campaign.nodelist = {"n3"};
  campaign.points = {point};
  campaign.dropped = {{point, "where: tp < 2"}};
  campaign.jobs = {{"gpt-a1-n16", 1, 16, {{"52b-tp4-a1", point.id, 1, 1}}},
                   {"gpt-a2-n16", 2, 16, {{"52b-tp4-a2-b1", point.id, 1, 1, true}}, 420}};
  const Campaign back = campaign_of(manifest_of(campaign), "test");
  CHECK(back.exclude == campaign.exclude);
  CHECK(back.nodelist == campaign.nodelist);
  CHECK(back.sweep == campaign.sweep);
  CHECK(back.seed == campaign.seed);
  CHECK(back.warmup == 3);
  CHECK(back.scrape == campaign.scrape);
  CHECK(back.log == "train.log");
  REQUIRE(back.points.size() == 1);
  CHECK(point_id(back.points[0]) == point.id);
  CHECK(find_value(back.points[0].axes, "bucket")->text == "5e8");
  CHECK_FALSE(back.points[0].model.heads);
  CHECK(back.jobs[0].runs[0].name == "52b-tp4-a1");
  CHECK_FALSE(back.jobs[0].time_s);  // as in older manifests
  CHECK(back.jobs[1].time_s == 420);
  CHECK_FALSE(back.jobs[0].runs[0].is_reference);
  CHECK(back.jobs[1].runs[0].is_reference);
  CHECK(back.dropped[0].reason == "where: tp < 2");
  CHECK(manifest_of(back) == manifest_of(campaign));
}

TEST_CASE("what is no campaign is refused with its name") {
  for (const std::string text : {"", "{", "[]", "{\"format\": 1}", "{\"format\": 99}", "\xff"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(campaign_of(text, "campaign-1.json"), Catch::StartsWith("campaign-1.json: "));
  }
}

TEST_CASE("a campaign whose run has no point is damaged and says what to do") {
  Campaign campaign;
  campaign.order = "blocks";
  campaign.jobs = {{"job", 1, 1, {{"run-a1", "gone", 1, 1}}}};
  CHECK_THROWS_WITH(campaign_of(manifest_of(campaign), "campaign-1.json"),
                    Catch::StartsWith("campaign-1.json: is damaged: no point of run 'run-a1'") &&
                        Catch::Contains("move it away"));
}

namespace {

Campaign campaign_with(const Point& point) {
  Campaign campaign;
  campaign.sweep = "s";
  campaign.number = 3;
  campaign.started = "2026-01-02T03:04:05Z";
  campaign.cluster = "c";
  campaign.accelerator = "h100";
  campaign.peak_tflops = {{"bf16", 989}, {"fp8", 1979.5}};
  campaign.scheduler = "slurm";
  campaign.order = "shuffled";
  campaign.points = {point};
  campaign.jobs = {{"job", 4, 16, {{"run", point.id, 2, 7}}}};
  return campaign;
}

}  // namespace

TEST_CASE("every field of a point has a name of its own in a manifest, and one unknown has none") {
  Point point;
  point.id = "id1";
  point.name = "name1";
  point.trainer = "training";
  point.model = {"52B", "gpt2", 11, 12, 13, 14, 15, 16, 17, 18, 19, 31, 32, 33};
  point.layout = {21, 22, 23, 24, 25, 26, 27, 28};
  const std::string text = manifest_of(campaign_with(point));
  for (const char* field : {"\"size\": \"52B\"",
                            "\"style\": \"gpt2\"",
                            "\"layers\": 11",
                            "\"hidden\": 12",
                            "\"heads\": 13",
                            "\"kv_heads\": 14",
                            "\"ffn\": 15",
                            "\"seq\": 16",
                            "\"vocab\": 17",
                            "\"padded_vocab\": 18",
                            "\"params\": 19",
                            "\"active_params\": 31",
                            "\"token_weights\": 32",
                            "\"attention_widths\": 33",
                            "\"tp\": 21",
                            "\"pp\": 22",
                            "\"dp\": 23",
                            "\"cp\": 24",
                            "\"mbs\": 25",
                            "\"gas\": 26",
                            "\"gpus\": 27",
                            "\"gbs\": 28",
                            "\"id\": \"id1\"",
                            "\"name\": \"name1\"",
                            "\"trainer\": \"training\""})
    CHECK_THAT(text, Catch::Contains(field));
  const Point back = campaign_of(text, "test").points.at(0);
  CHECK(back.model == point.model);
  CHECK(back.layout == point.layout);
  CHECK(back.id == "id1");
  CHECK(back.name == "name1");
  CHECK(back.trainer == "training");
  const Point bare = campaign_of(manifest_of(campaign_with({})), "test").points.at(0);
  CHECK(bare.model == Model{});
  CHECK(bare.layout == Layout{});
}

TEST_CASE("a campaign's own fields, jobs and runs read back") {
  const Campaign back = campaign_of(manifest_of(campaign_with({})), "test");
  CHECK(back.number == 3);
  CHECK(back.started == "2026-01-02T03:04:05Z");
  CHECK(back.cluster == "c");
  CHECK(back.accelerator == "h100");
  CHECK(back.peak_tflops == PeakTflops{{"bf16", 989}, {"fp8", 1979.5}});
  CHECK(back.scheduler == "slurm");
  CHECK(back.order == "shuffled");
  CHECK_FALSE(back.warmup);
  REQUIRE(back.jobs.size() == 1);
  CHECK(back.jobs[0].name == "job");
  CHECK(back.jobs[0].allocation == 4);
  CHECK(back.jobs[0].nodes == 16);
  CHECK(back.jobs[0].runs.at(0).name == "run");
  CHECK(back.jobs[0].runs.at(0).repeat == 2);
  CHECK(back.jobs[0].runs.at(0).position == 7);
}

TEST_CASE("a manifest of before 0.2 has neither accelerator nor peak") {
  std::string text = manifest_of(campaign_with({}));
  for (const std::string name : {"accelerator", "peak_tflops"}) {
    const auto at = text.find('"' + name + '"');
    REQUIRE(at != std::string::npos);
    text.replace(at + 1, name.size(), std::string(name.size(), 'x'));
  }
  const Campaign back = campaign_of(text, "test");
  CHECK(back.accelerator.empty());
  CHECK(back.peak_tflops.empty());
}

TEST_CASE("a manifest whose counts are no whole numbers is damaged") {
  const std::string text = manifest_of(campaign_with({}));
  for (const std::string name : {"campaign", "seed", "allocation", "nodes", "repeat", "position"}) {
    for (const std::string number : {"1e300", "1.5", "-1e19", "18446744073709551615"}) {
      CAPTURE(name, number);
      if (name == "seed" && number == "18446744073709551615") continue;
      std::string damaged = text;
      const auto at = damaged.find('"' + name + "\":") + name.size() + 3;
      damaged.replace(at, damaged.find_first_of(",}]\n", at) - at, number);
      CHECK_THROWS_WITH(campaign_of(damaged, "campaign-1.json"), Catch::Contains("is damaged"));
    }
  }
}

TEST_CASE("another version's manifest is told by its format") {
  CHECK_THROWS_WITH(campaign_of("{\"format\": 99}", "campaign-1.json"),
                    "campaign-1.json: written by another version of pippin (format 99)");
  CHECK_THROWS_WITH(campaign_of("{}", "campaign-1.json"),
                    Catch::Contains("is damaged, or no campaign of pippin's: ") &&
                        Catch::Contains("what is done stays done"));
}
