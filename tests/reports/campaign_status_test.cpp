// SPDX-License-Identifier: Apache-2.0
#include "reports/campaign_status.h"

#include <cstdlib>
#include <ctime>

#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::int64_t kNow = 1795176000;  // 2026-11-20T12:00:00Z

CampaignStatus standing_of_sixty() {
  CampaignStatus status;
  status.sweep = "gpt-52b";
  status.started = "2026-11-20T11:00:00Z";
  status.cluster = "jean-zay";
  status.progress.total = 60;
  status.progress.done = 12;
  status.progress.earlier = 12;
  status.ok = 11;
  status.failed = 1;
  status.waiting = 48;
  return status;
}

}  // namespace

TEST_CASE("a status tells sweep, progress and runs by state, and no more where all is well") {
  CHECK(status_text(standing_of_sixty(), kWidth, kNow) ==
        "gpt-52b campaign 1, begun 2026-11-20T11:00:00Z on jean-zay\n"
        "  [####................] 12 of 60 runs done\n"
        "  runs      11 ok, 1 failed, 48 waiting\n");
}

TEST_CASE("what is stuck is named with its remedy") {
  CampaignStatus status = standing_of_sixty();
  status.stuck = {{"1 job", "PartitionNodeLimit of gpt-52b-n99-s3", "fewer GPUs"}};
  CHECK_THAT(status_text(status, kWidth, kNow),
             Contains("  stuck     1 job: PartitionNodeLimit of gpt-52b-n99-s3; fewer GPUs\n"));
}

TEST_CASE("a long list is cut and its rest counted") {
  CampaignStatus status = standing_of_sixty();
  for (int i = 0; i < 20; ++i) status.ill.push_back({"run" + std::to_string(i), "", ""});
  const std::string text = status_text(status, kWidth, kNow);
  CHECK_THAT(text, Contains("  failed    run0\n            run1\n"));
  CHECK_THAT(text, Contains("            and 12 more\n"));
}

TEST_CASE("a time of today is a time of day and another has its day") {
  ::setenv("TZ", "UTC0", 1);
  ::tzset();
  CampaignStatus status = standing_of_sixty();
  status.latest_end = kNow + 3600;
  status.next_start = kNow + 86400;
  const std::string text = status_text(status, kWidth, kNow);
  CHECK_THAT(text, Contains("  ends      at 13:00 at the latest"));
  CHECK_THAT(text, Contains("  starts    at 2026-11-21 12:00, the next"));
  ::unsetenv("TZ");
  ::tzset();
}

TEST_CASE("names that hold control characters stay on their line") {
  CampaignStatus status = standing_of_sixty();
  status.ill = {{"a\nb\x1b[2J", "", ""}};
  CHECK_THAT(status_text(status, kWidth, kNow), Contains("a\\nb\\x1b[2J\n"));
}

TEST_CASE("of a kind eight lines are shown, and how many more there are") {
  CampaignStatus status;
  status.sweep = "s";
  const auto text_with = [&](std::size_t lines) {
    status.gone.assign(lines, {"run", "", ""});
    return status_text(status, 80, 0);
  };
  CHECK_THAT(text_with(8), !Catch::Contains("more"));
  CHECK_THAT(text_with(9), Catch::Contains("  lost      run\n") && Catch::Contains("and 1 more\n"));
}
