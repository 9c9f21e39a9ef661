#include "harness/scrape/scrape.h"

#include "harness/scrape/megatron.h"
#include "harness/scrape/steps.h"

namespace pippin {

namespace {

/// One trainer format: a file of its own and a line in this table.
struct Format {
  std::string_view name;
  std::vector<LogRun> (*read)(std::string_view log);
};

constexpr Format kFormats[] = {
    {"steps", read_steps},
    {"megatron", read_megatron},
};

}  // namespace

std::vector<LogRun> scrape(std::string_view log) {
  for (const auto& format : kFormats) {
    auto runs = format.read(log);
    for (auto& run : runs) {
      run.format = format.name;
      run.scraper_version = kScraperVersion;
    }
    if (!runs.empty()) return runs;
  }
  return {};
}

}  // namespace pippin
