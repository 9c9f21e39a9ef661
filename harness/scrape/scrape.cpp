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
    {"megatron", read_megatron},
    {"steps", read_steps},
};

}  // namespace

std::vector<LogRun> scrape(std::string_view log) {
  std::vector<LogRun> runs;
  for (const auto& format : kFormats) {
    for (auto& run : format.read(log)) {
      run.format = format.name;
      run.scraper_version = kScraperVersion;
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

}  // namespace pippin
