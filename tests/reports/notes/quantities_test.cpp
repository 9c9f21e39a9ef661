// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/quantities.h"

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("numbers are read as people write them") {
  struct Case {
    std::string cell;
    std::optional<double> number;
  };
  const std::vector<Case> cases{{"46.7", 46.7}, {"1,024", 1024}, {"1,234,567.5", 1234567.5},
                                {"-3", -3},     {"+3", 3},       {"**54.5**", 54.5},
                                {"`8`", 8},     {"_8_", 8},      {"5e8", 5e8},
                                {"0", 0},       {"46,7", {}},    {"0,661", {}},
                                {"1,02", {}},   {",024", {}},    {"1,0245", {}},
                                {"", {}},       {"  ", {}},      {"OOM", {}},
                                {"na", {}},     {"nan", {}},     {"inf", {}},
                                {"1.2.3", {}},  {"64 x", {}},    {"1e999", {}},
                                {"--", {}},     {"±", {}},       {"1 024", {}},
                                {"0x10", {}},   {"64 GPUs", {}}, {"1,024,", {}}};
  for (const auto& c : cases) {
    CAPTURE(c.cell);
    CHECK(number_in(c.cell) == c.number);
  }
  CHECK(count_in("1,024") == 1024);
  CHECK_FALSE(count_in("1.5"));
  CHECK_FALSE(count_in("1e30"));
  CHECK_FALSE(count_in("-1e30"));
}

TEST_CASE("a time is kept just as it was written") {
  struct Case {
    std::string cell, title;
    std::optional<double> ms;
  };
  const std::vector<Case> cases{{"0.661s", "Speed", 661},
                                {"1.381s", "Speed", 1381},
                                {"213", "Speed", 213000},
                                {"1.5 s", "Speed", 1500},
                                {"104 ms", "Speed", 104},
                                {"104ms", "Time", 104},
                                {"2 min", "Time", 120000},
                                {"1.5h", "Time", 5400000},
                                {"17960.68", "Time (ms)", 17960.68},
                                {"17960.68", "step_time_ms", 17960.68},
                                {"3", "ms/iter", 3},
                                {"3", "Time [min]", 180000},
                                {"3", "min time", 3000},
                                {"3s", "Time (ms)", 3000},
                                {"1.2 s/it", "Speed", 1200},
                                {"1.2 s per iteration", "Speed", 1200},
                                {"250 µs", "Time", 0.25},
                                {"0.1", "Time", 100},
                                {"1e2s", "Time", 100000},
                                {"OOM", "Time", {}},
                                {"", "Time", {}},
                                {"s", "Time", {}},
                                {"3 m", "Time", {}},
                                {"137 ± 2 s", "Time", 137000},
                                {"1:30", "Time", 90000},
                                {"1e308 h", "Time", {}}};
  for (const auto& c : cases) {
    CAPTURE(c.cell, c.title);
    CHECK(milliseconds_in(c.cell, c.title) == c.ms);
  }
}

TEST_CASE("sizes are in billions and memory in GiB where no unit stands") {
  CHECK(parameters_in("52B", "Size") == 52e9);
  CHECK(parameters_in("7.5b", "Size") == 7.5e9);
  CHECK(parameters_in("52", "MSize") == 52e9);
  CHECK(parameters_in("124M", "Size") == 124e6);
  CHECK(parameters_in("124", "Size (M)") == 124e6);
  CHECK(parameters_in("1.2T", "Size") == 1.2e12);
  CHECK_FALSE(parameters_in("GPT-2", "Size"));
  CHECK(mebibytes_in("26GB", "GPU M") == 26.0 * 1024);
  CHECK(mebibytes_in("26", "GPU M") == 26.0 * 1024);
  CHECK(mebibytes_in("26000", "memory (MiB)") == 26000);
  CHECK(mebibytes_in("26000 MB", "memory") == 26000);
  CHECK_FALSE(mebibytes_in("OOM", "memory"));
}

TEST_CASE("each unit of a time is known in a cell and in a title") {
  const std::vector<std::pair<const char*, double>> units{
      {"s", 1e3},   {"sec", 1e3},   {"secs", 1e3},   {"second", 1e3},  {"seconds", 1e3},
      {"ms", 1},    {"msec", 1},    {"msecs", 1},    {"us", 1e-3},     {"µs", 1e-3},
      {"min", 6e4}, {"mins", 6e4},  {"minute", 6e4}, {"minutes", 6e4}, {"h", 36e5},
      {"hr", 36e5}, {"hour", 36e5}, {"hours", 36e5}};
  for (const auto& [unit, ms] : units) {
    CAPTURE(unit);
    CHECK(milliseconds_in("2 " + std::string(unit), "Time").value() == Approx(2 * ms));
    CHECK(milliseconds_in("2", "Time (" + std::string(unit) + ")").value() == Approx(2 * ms));
  }
}

TEST_CASE("each unit of a size and of a memory is known") {
  const std::vector<std::pair<const char*, double>> sizes{
      {"B", 1e9},       {"bn", 1e9},       {"billion", 1e9}, {"billions", 1e9}, {"M", 1e6},
      {"million", 1e6}, {"millions", 1e6}, {"K", 1e3},       {"T", 1e12}};
  for (const auto& [unit, count] : sizes)
    CHECK(parameters_in("2" + std::string(unit), "Size").value() == Approx(2 * count));
  const double gib = 1024;
  const std::vector<std::pair<const char*, double>> memories{
      {"GiB", gib}, {"GB", gib}, {"G", gib},         {"MiB", 1},
      {"MB", 1},    {"M", 1},    {"TiB", gib * gib}, {"TB", gib * gib}};
  for (const auto& [unit, mib] : memories)
    CHECK(mebibytes_in("2" + std::string(unit), "Memory").value() == Approx(2 * mib));
}

TEST_CASE("a number's parts stand where they belong") {
  CHECK(number_in("1,024.5") == 1024.5);
  CHECK(number_in("123,456") == 123456);
  CHECK_FALSE(number_in("1234,567"));
  CHECK_FALSE(number_in("0,024"));
  CHECK(number_in("1,024e2") == 102400);
  CHECK(number_in("-1e-2") == -0.01);
  CHECK(number_in("1E+2") == 100);
  CHECK_FALSE(number_in("1e"));
  CHECK_FALSE(number_in("1e+"));
  CHECK(milliseconds_in("1e-1 s", "Time") == 100);
  CHECK(milliseconds_in("1es", "Time") == std::nullopt);
  CHECK(milliseconds_in("3", "Time ()") == 3000);
  CHECK(milliseconds_in("3", "(ms) Time") == milliseconds_in("3", "ms Time"));
}
