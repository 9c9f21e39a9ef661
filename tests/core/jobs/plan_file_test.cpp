// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/plan_file.h"

#include <chrono>
#include <thread>

#include "core/jobs/protocol.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

Campaign campaign_with(std::size_t runs) {
  Campaign campaign;
  campaign.sweep = "a sweep";
  campaign.number = 2;
  campaign.started = "2026-01-02T03:04:05Z";
  campaign.cluster = "";
  campaign.scheduler = "slurm";
  campaign.points.emplace_back().id = "0123456789abcdef";
  campaign.jobs = {{"job-1", 1, 1, {}}, {"job-2", 2, 1, {{"last", "0123456789abcdef"}}}};
  for (std::size_t i = 0; i < runs; ++i)
    campaign.jobs[0].runs.push_back({"a-run-" + std::to_string(i), "0123456789abcdef"});
  return campaign;
}

/// A sweep with a campaign large enough to be kept.
struct Kept {
  static constexpr std::size_t kRuns = 5000;

  test::TemporaryDirectory root;
  SweepFolder folder{disk(), root.path()};
  fs::path plan = root / ".campaign-2.plan";

  Kept() { folder.save_campaign(campaign_with(kRuns)); }
  /// Until nothing can change unseen.
  static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(3200)); }
};

}  // namespace

TEST_CASE("a plan reads back what who looks needs of a campaign") {
  Campaign campaign = campaign_with(3);
  campaign.jobs[0].runs[1].left = true;
  const FileIdentity manifest{10, 20, 30, 40};
  const auto plan = plan_of(plan_text(campaign, manifest).value(), manifest);
  REQUIRE(plan);
  CHECK(plan->sweep == "a sweep");
  CHECK(plan->number == 2);
  CHECK(plan->started == campaign.started);
  CHECK(plan->cluster.empty());
  CHECK(plan->scheduler == "slurm");
  REQUIRE(plan->jobs.size() == 2);
  CHECK(plan->jobs[0].name == "job-1");
  CHECK(plan->jobs[1].runs[0].name == "last");
  REQUIRE(plan->jobs[0].runs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(plan->jobs[0].runs[i].name == "a-run-" + std::to_string(i));
    CHECK(plan->jobs[0].runs[i].left == (i == 1));
  }
}

TEST_CASE("a plan of another manifest, one that is torn, and one of nothing are none") {
  const FileIdentity manifest{10, 20, 30, 40};
  const std::string text = plan_text(campaign_with(3), manifest).value();
  for (const FileIdentity& other : {FileIdentity{11, 20, 30, 40}, FileIdentity{10, 21, 30, 40},
                                    FileIdentity{10, 20, 31, 40}, FileIdentity{10, 20, 30, 41}})
    CHECK_FALSE(plan_of(text, other));
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    REQUIRE_FALSE(plan_of(text.substr(0, size), manifest));
  }
}

TEST_CASE("a name that cannot stand in a line makes no plan") {
  for (const char* name : {"a\tb", "a\nb"}) {
    Campaign campaign = campaign_with(1);
    campaign.cluster = name;
    CHECK_FALSE(plan_text(campaign, {}));
    campaign = campaign_with(1);
    campaign.jobs[0].runs[0].name = name;
    CHECK_FALSE(plan_text(campaign, {}));
  }
}

TEST_CASE("what could still change unseen is not kept") {
  Kept here;
  const auto later = fs::file_time_type::clock::now() + std::chrono::hours(1);
  fs::last_write_time(here.folder.campaign_file(2), later);
  CHECK(here.folder.load_plan(2).jobs[0].runs.size() == Kept::kRuns);
  CHECK_FALSE(disk().exists(here.plan));
}

TEST_CASE("a plan that is kept is used until its campaign is saved again") {
  Kept here;
  Kept::wait();
  here.folder.load_plan(2);
  REQUIRE(disk().exists(here.plan));
  // Who reads another name there has not read the manifest.
  std::string text = *disk().read(here.plan);
  text.replace(text.find("a-run-7"), 7, "a-run-X");
  disk().write(here.plan, text);
  CHECK(here.folder.load_plan(2).jobs[0].runs[7].name == "a-run-X");
  here.folder.save_campaign(campaign_with(Kept::kRuns));
  CHECK(here.folder.load_plan(2).jobs[0].runs[7].name == "a-run-7");
}

TEST_CASE("a plan that cannot be read or written changes nothing") {
  Kept here;
  fs::create_directories(here.plan / "in the way");
  Kept::wait();
  CHECK(here.folder.load_plan(2).jobs[0].runs.size() == Kept::kRuns);
}
