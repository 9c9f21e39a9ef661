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
  campaign.points = {point};
  campaign.dropped = {{point, "where: tp < 2"}};
  campaign.jobs = {{"gpt-a1-n16", 1, 16, {{"52b-tp4-a1", point.id, 1, 1}}},
                   {"gpt-a2-n16", 2, 16, {{"52b-tp4-a2-b1", point.id, 1, 1, true}}, 420}};
  const Campaign back = campaign_of(manifest_of(campaign), "test");
  CHECK(back.sweep == campaign.sweep);
  CHECK(back.seed == campaign.seed);
  CHECK(back.warmup == 3);
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
