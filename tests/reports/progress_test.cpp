// SPDX-License-Identifier: Apache-2.0
#include "reports/progress.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {
constexpr Progress kHalf{60, 30, 1, 2, 0, 600};
}

TEST_CASE("the time left follows from the runs of this start") {
  CHECK(time_left_s(kHalf) == 600);
  CHECK(time_left_s({60, 30, 0, 0, 20, 600}) == 1800);
  CHECK_FALSE(time_left_s({60, 20, 0, 0, 20, 600}));
  CHECK(time_left_s({60, 60, 0, 0, 0, 600}) == 0);
}

TEST_CASE("progress reads as a sentence") {
  CHECK(progress_text(kHalf) == "30 of 60 runs done, 2 running, 1 failed, about 10 min left");
  CHECK(progress_text({1, 0, 0, 1, 0, 5}) == "0 of 1 run done, 1 running");
  CHECK(progress_text({1, 1, 0, 0, 0, 5}) == "1 of 1 run done");
  CHECK(progress_text({60, 30, 1, 2, 0, 600, 25}) ==
        "30 of 60 runs done, 2 running, 1 failed, 25 cancelled, about 100 s left");
  CHECK(progress_text({60, 30, 0, 0, 0, 600, 30}) == "30 of 60 runs done, 30 cancelled");
  CHECK(progress_text({6, 0, 0, 0, 0, 600, 0, 0, 6}) == "0 of 6 runs done, 6 lost");
}

TEST_CASE("a bar shows its share and fits its width") {
  CHECK(progress_bar({4, 1, 0, 0, 1, 0}, 80) == "[#####...............] 1 of 4 runs done");
  CHECK(progress_bar(kHalf, 30) == "30 of 60 runs done, 2 running,");
  CHECK(progress_bar({0, 0, 0, 0, 0, 0}, 80) == "[....................] 0 of 0 runs done");
}

TEST_CASE("a bar of files that are read says how much, how fast and how long") {
  CHECK(reading_bar({60, 12, 2'100'000'000, 420'000'000, 0.2}, 80) ==
        "[####................] 12 of 60 files, 0.4 of 2.1 GB, 2.1 GB/s, about 1 s left");
  CHECK(reading_bar({1, 0, 0, 0, 0}, 80) == "[....................] 0 of 1 file, 0.0 of 0.0 GB");
  CHECK(reading_bar({1, 1, 5, 9'000'000'000, 9}, 80) ==
        "[####################] 1 of 1 file, 9.0 of 9.0 GB, 1.0 GB/s");
  CHECK(reading_bar({60, 12, 2'100'000'000, 420'000'000, 0.2}, 20) == "12 of 60 files, 0.4 ");
}

TEST_CASE("a shorter bar wipes the longer one before it") {
  ProgressDisplay display(true, 80);
  const std::string first = display.update(kHalf);
  const std::string second = display.update({60, 60, 1, 0, 0, 1200});
  CHECK(first[0] == '\r');
  CHECK(second.size() == first.size());
  CHECK(second.find("60 of 60 runs done, 1 failed   ") != std::string::npos);
  CHECK(display.finish() == "\n");
  CHECK(display.finish().empty());
}

TEST_CASE("without a terminal a line comes only when a count changed") {
  ProgressDisplay display(false, 80);
  CHECK(display.update(kHalf) == progress_text(kHalf) + "\n");
  Progress later = kHalf;
  later.elapsed_s += 30;
  CHECK(display.update(later).empty());
  later.running = 1;
  CHECK(display.update(later).find("1 running") != std::string::npos);
  CHECK(display.finish().empty());
}
