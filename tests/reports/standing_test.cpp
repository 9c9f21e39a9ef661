#include "reports/standing.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>

using namespace pippin;
using Catch::Contains;

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::int64_t kNow = 1795176000;  // 2026-11-20T12:00:00Z

Standing standing_of_sixty() {
  Standing standing;
  standing.sweep = "gpt-52b";
  standing.started = "2026-11-20T11:00:00Z";
  standing.cluster = "jean-zay";
  standing.progress.total = 60;
  standing.progress.done = 12;
  standing.progress.earlier = 12;
  standing.ok = 11;
  standing.failed = 1;
  standing.waiting = 48;
  return standing;
}

}  // namespace

TEST_CASE("a standing tells sweep, progress and runs by state, and no more where all is well") {
  CHECK(standing_text(standing_of_sixty(), kWidth, kNow) ==
        "gpt-52b campaign 1, begun 2026-11-20T11:00:00Z on jean-zay\n"
        "  [####................] 12 of 60 runs done\n"
        "  runs      11 ok, 1 failed, 48 waiting\n");
}

TEST_CASE("what is stuck is named with its remedy") {
  Standing standing = standing_of_sixty();
  standing.stuck = {{"1 job", "PartitionNodeLimit of gpt-52b-n99-s3", "fewer GPUs"}};
  CHECK_THAT(standing_text(standing, kWidth, kNow),
             Contains("  stuck     1 job: PartitionNodeLimit of gpt-52b-n99-s3; fewer GPUs\n"));
}

TEST_CASE("a long list is cut and its rest counted") {
  Standing standing = standing_of_sixty();
  for (int i = 0; i < 20; ++i) standing.ill.push_back({"run" + std::to_string(i), "", ""});
  const std::string text = standing_text(standing, kWidth, kNow);
  CHECK_THAT(text, Contains("  failed    run0\n            run1\n"));
  CHECK_THAT(text, Contains("            and 12 more\n"));
}

TEST_CASE("a time of today is a time of day and another has its day") {
  ::setenv("TZ", "UTC0", 1);
  ::tzset();
  Standing standing = standing_of_sixty();
  standing.latest_end = kNow + 3600;
  standing.next_start = kNow + 86400;
  const std::string text = standing_text(standing, kWidth, kNow);
  CHECK_THAT(text, Contains("  ends      at 13:00 at the latest"));
  CHECK_THAT(text, Contains("  starts    at 2026-11-21 12:00, the next"));
  ::unsetenv("TZ");
  ::tzset();
}

TEST_CASE("names that hold control characters stay on their line") {
  Standing standing = standing_of_sixty();
  standing.ill = {{"a\nb\x1b[2J", "", ""}};
  CHECK_THAT(standing_text(standing, kWidth, kNow), Contains("a\\nb\\x1b[2J\n"));
}
