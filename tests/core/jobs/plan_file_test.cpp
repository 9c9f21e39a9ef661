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

/// A sweep with a campaign large enough to be kept, of which the third run succeeded.
struct Kept {
  static constexpr std::size_t kRuns = 5000;

  test::TemporaryDirectory root;
  SweepFolder folder{disk(), root.path()};
  NameTable names{kRuns + 1};
  fs::path plan = root / ".campaign-2.plan", listing = root / ".campaign-2.listing";

  Kept() {
    const Campaign campaign = campaign_with(kRuns);
    folder.save_campaign(campaign);
    for (const auto& job : campaign.jobs)
      for (const auto& run : job.runs) names.add(run.name);
    disk().write(root / "succeeded/a-run-2", "");
  }
  /// Until nothing can change unseen.
  static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(3200)); }
  std::vector<std::string> succeeded() {
    std::vector<std::string> found;
    const auto are = folder.succeeded_as_kept(2, names);
    for (std::size_t i = 0; i < are.size(); ++i)
      if (are[i]) found.push_back(i == kRuns ? "last" : "a-run-" + std::to_string(i));
    return found;
  }
};

using Names = std::vector<std::string>;

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

TEST_CASE("a listing reads back for the same runs and the same folder alone") {
  NameTable runs(3), others(3);
  for (const char* name : {"a", "bc", "d"}) runs.add(name);
  for (const char* name : {"ab", "c", "d"}) others.add(name);
  const FileIdentity folder{1, 2, 3, 4}, later{1, 2, 4, 4};
  const std::vector<bool> found{true, false, true};
  const std::string text = listing_text(runs, folder, found);
  CHECK(listing_of(text, runs, folder) == found);
  CHECK_FALSE(listing_of(text, others, folder));
  CHECK_FALSE(listing_of(text, runs, later));
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK_FALSE(listing_of(text.substr(0, size), runs, folder));
  CHECK_FALSE(listing_of(text + "1", runs, folder));
}

TEST_CASE("what could still change unseen is not kept") {
  Kept here;
  const auto later = fs::file_time_type::clock::now() + std::chrono::hours(1);
  fs::last_write_time(here.folder.campaign_file(2), later);
  fs::last_write_time(here.root / "succeeded", later);
  CHECK(here.folder.load_plan(2).jobs[0].runs.size() == Kept::kRuns);
  CHECK(here.succeeded() == Names{"a-run-2"});
  CHECK_FALSE(disk().exists(here.plan));
  CHECK_FALSE(disk().exists(here.listing));
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

TEST_CASE("a listing that is kept is used until a run is added or gone") {
  Kept here;
  Kept::wait();
  CHECK(here.succeeded() == Names{"a-run-2"});
  REQUIRE(disk().exists(here.listing));
  std::string text = *disk().read(here.listing);
  text.back() = '1';
  disk().write(here.listing, text);
  CHECK(here.succeeded() == Names{"a-run-2", "last"});
  disk().write(here.root / "succeeded/a-run-4", "");
  CHECK(here.succeeded() == Names{"a-run-2", "a-run-4"});
  fs::remove(here.root / "succeeded/a-run-2");
  CHECK(here.succeeded() == Names{"a-run-4"});
}

TEST_CASE("a listing is not believed where a folder's time does not tell what came into it") {
  Kept here;
  Kept::wait();
  here.succeeded();
  std::string text = *disk().read(here.listing);
  text.back() = '1';
  disk().write(here.listing, text);
  fs::last_write_time(here.root.path(), fs::last_write_time(here.listing) - std::chrono::hours(1));
  CHECK(here.succeeded() == Names{"a-run-2"});
}

TEST_CASE("a plan or a listing that cannot be read or written changes nothing") {
  Kept here;
  fs::create_directories(here.plan / "in the way");
  fs::create_directories(here.listing / "in the way");
  Kept::wait();
  CHECK(here.folder.load_plan(2).jobs[0].runs.size() == Kept::kRuns);
  CHECK(here.succeeded() == Names{"a-run-2"});
}
