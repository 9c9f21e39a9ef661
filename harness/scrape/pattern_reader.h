// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/scrape/line_patterns.h"
#include "harness/scrape/line_scanner.h"
#include "harness/scrape/scrape.h"
#include "harness/scrape/trainers/launch.h"

namespace pippin {

/// Reads a log by a person's patterns. A line that says how long a step takes is a step; what other
/// patterns found since the one before, in lines of the same rank, belongs to it. Without a pattern
/// for them steps are counted.
class PatternReader : public LineSink {
 public:
  explicit PatternReader(LinePatterns patterns);

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override;
  void take(const FoundLine& line) override;

  /// What the line taken last gave, "step 12: 531.2 ms, loss 2.31"; empty: nothing.
  const std::string& gave() const { return gave_; }
  /// The step that it was; nothing: it was none.
  Count step() const { return step_; }
  /// Why it gave nothing though a pattern fits it; empty: none does.
  const std::string& why() const { return why_; }

  /// Empties it.
  Scraped finish(const LogHints& hints);

 private:
  /// A place that a pattern fits.
  struct Match {
    const LinePattern* pattern = nullptr;
    std::vector<std::string_view> groups;  ///< behind the whole
  };
  /// What a rank's lines said since its last step.
  struct Said {
    StepRecord record;
    bool has_step = false, has_time = false;
    std::int64_t steps = 0;                                 ///< that it had
    std::optional<std::pair<std::int64_t, double>> before;  ///< step and time of a cumulative one
  };

  std::vector<Match> matches_of(const FoundLine& line);
  void take_field(const PatternField& field, std::string_view text, std::string_view line,
                  Said& said);
  void take_number(const PatternField& field, const Figure& figure, Said& said);
  void take_count(const PatternField& field, const Figure& figure, Said& said);
  void take_pace(const PatternField& field, const Figure& figure, Said& said);
  void add_step(std::string_view before, const Speaker& speaker, Said& said);
  bool to_difference(StepRecord& record, Said& said);
  bool to_mean(StepRecord& record);
  void add(const StepRecord& record, const Speaker& speaker);
  void give(const std::string& what) { gave_ += gave_.empty() ? what : ", " + what; }
  void add_run(std::size_t number, Scraped& found, const LogHints& hints);

  LinePatterns patterns_;
  std::vector<std::size_t> fits_;  ///< lines, of each pattern
  TrainerLaunch launch_;
  std::vector<TrainerLaunch> ended_;
  std::map<std::string, Said, std::less<>> said_;  ///< by speaker
  std::map<std::size_t, std::string> failed_;      ///< the line that says so, by launch
  std::int64_t rank_ = 0;                          ///< of the line at hand
  std::vector<UnusedLines> unused_;
  std::string gave_, why_;
  Count step_;
};

}  // namespace pippin
