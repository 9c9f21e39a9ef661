// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/scrape/trainers/figures.h"
#include "harness/scrape/trainers/progress_bar.h"
#include "harness/scrape/trainers/trainer.h"

namespace pippin {

/// What one process says of all steps of a run.
struct RunTotal {
  Figure seconds = {};
  /// Steps a second of all that were planned, those made before, too.
  std::optional<Figure> rate = {};
  std::optional<double> loss = {};   ///< the mean of all steps
  std::optional<double> flops = {};  ///< of all processes
  Count steps = {};                  ///< the last one, where it says so
  Count global_step = {};            ///< the same as ms-swift says it
  unsigned flags = 0;
  std::string line = {};
  std::size_t before = 0;  ///< characters of it that are no words of the trainer
};

/// Reads what a dictionary says of it. False where that does not say its time.
bool take_figures(const std::vector<std::pair<std::string_view, std::string_view>>& said,
                  RunTotal& total);

/// Finds out of how many steps a run's totals are: that may stand behind them.
class RunTotals {
 public:
  /// What the bars of a line tell.
  struct Bars {
    bool may_be_of_steps = false;
    bool show_step = false;  ///< one shows more steps than it did before
  };
  /// Sees a line with a bar, of whatever.
  Bars see_bars(std::string_view line);
  void plan(std::int64_t steps) { planned_ = steps; }
  /// Sees that the losses of a step are printed: the trainer does that above its own bar, which it
  /// draws before and behind.
  void see_losses();
  void go_on_from(std::int64_t step) { resumed_ = step; }
  /// Sees that an evaluation or a save begins (its IterationFlag): the steps behind it wait for it.
  void see_pause(unsigned flag);
  /// Sees what an evaluation came to. It is printed with a delay: steps behind that evaluation may
  /// be drawn before.
  void see_evaluated();
  void keep(const RunTotal& total);
  /// The rate of those that have none, which is printed behind them.
  void say_rate(const Figure& steps_per_second);
  /// The last step of those that have none, which is said once more with it.
  void say_steps(std::int64_t steps);
  /// Whether a bar that may be this total's began after another total: it is of a run of its own,
  /// not of another process.
  bool is_of_next_run(const RunTotal& total) const;
  /// Whether the same process said another total of this run, and no process one that may be of the
  /// same training.
  bool is_of_other_run(const RunTotal& total) const;
  /// Whether it was said before in other words.
  bool was_said(const RunTotal& total) const;
  /// What comes is of the next. Requires that all totals are added.
  void forget_last_run();
  /// Evaluations and saves until now are of the last run.
  void forget_pauses() { pauses_ = 0; }
  /// The next run begins behind a checkpoint, of which nobody says the step.
  void go_on_from_somewhere() { goes_on_ = true; }
  /// Adds those to the log of which it is known.
  void add_known(std::size_t trainer, TrainerLog& log);
  /// Adds all, as the log has told all. A total of nobody knows how many steps is refused.
  void add_all(std::size_t trainer, TrainerLog& log);
  /// How many steps the bar of all steps counts as made by this run.
  std::int64_t steps_made() const;
  /// Which of the bars of all steps is meant, where they began anew.
  enum class Which { kLongest, kBeforeNext };
  /// Adds what the bar of all steps tells of a run that did not come to its total. Returns why it
  /// could not; nullptr: it did. `before`: the words that name who drew it.
  const char* add_unfinished(std::size_t trainer, TrainerLog& log, std::string_view before = {},
                             Which which = Which::kLongest) const;

 private:
  struct SeenBar : ProgressBar {
    bool is_next = false;         ///< it began after a total
    bool is_again = false;        ///< it began after another that counts to as many
    std::int64_t first_done = 0;  ///< as it was drawn first with a step of this run
    double first_seconds = 0;
    double reached_seconds = 0;  ///< as it was drawn first with as many steps as are done
    unsigned pauses = 0;         ///< IterationFlag: within its time until then
    unsigned pauses_shown = 0;   ///< … since it was drawn first with a step
    unsigned pauses_behind = 0;  ///< … behind its last step
  };
  struct Made {
    std::int64_t steps = 0;
    double seconds = 0;
    unsigned flags = 0;  ///< IterationFlag
  };

  /// A total of the run at hand, without its words.
  struct SeenTotal {
    std::string speaker;
    Figure seconds;
    std::optional<double> loss, flops;
  };

  void add(const RunTotal& total, const Count& by_rates, std::size_t trainer,
           TrainerLog& log) const;
  Count steps_by_rates() const;
  static bool may_be_same_run(const SeenTotal& seen, const RunTotal& total);
  const SeenBar* bar_of(const RunTotal& total) const;
  Count last_step(const RunTotal& total) const;
  Count all_steps() const { return planned_ ? planned_ : above_; }
  const SeenBar* bar_of_all(Which which = Which::kLongest) const;
  bool see_bar(const ProgressBar& bar);
  SeenBar* drawn_before(const ProgressBar& bar);
  bool go_on(SeenBar& seen, const ProgressBar& bar) const;
  static bool began_behind(const SeenBar& bar);
  Made made_by(const SeenBar& bar) const;

  std::vector<SeenBar> bars_;  ///< by how many they count to: also data sets and evaluations
  bool has_total_ = false;
  std::vector<RunTotal> totals_;
  std::vector<SeenTotal> seen_;
  Count planned_;
  std::optional<ProgressBar> last_bar_;
  Count above_;  ///< how many steps the bar counts to above which losses are printed
  bool is_above_several_ = false;
  bool goes_on_ = false;
  std::int64_t resumed_ = 0;
  unsigned pauses_ = 0;  ///< IterationFlag: in the run at hand
};

}  // namespace pippin
