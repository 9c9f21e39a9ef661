// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/records/iterations.h"
#include "harness/scrape/trainers/figures.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

/// What the figure is that tells how long a step took.
enum class Pace {
  kMs,                ///< milliseconds a step
  kStepsPerSecond,    ///< of the whole job, as all below
  kSamplesPerSecond,  ///< sequences
  kTokensPerSecond,
  kTokensPerGpuSecond,  ///< tokens a second and GPU
};

/// Of how many steps it is the figure. The sharpest first.
enum class Span {
  kStep,    ///< one
  kMean,    ///< the mean of `interval`, or of those since the line before
  kWindow,  ///< a moving mean, over steps that the lines before have, too
  kTotal,   ///< of all steps of the run, with start-up, evaluation and saving
};

/// What one line says of a step.
struct StepRecord {
  std::int64_t step = 0;  ///< as the trainer counts
  Figure figure;          ///< as `pace` has it
  Pace pace = Pace::kMs;
  Span span = Span::kStep;
  std::int64_t interval = 0;  ///< of kMean and kTotal; 0: since the line before
  unsigned flags = 0;         ///< IterationFlag
  Count gbs, consumed_samples;
  std::optional<double> lm_loss, learning_rate, loss_scale, grad_norm;
  std::optional<double> loss_of_all;                  ///< of kTotal: the mean of all steps
  bool bad_loss = false;                              ///< it is no number
  std::vector<std::pair<std::string, double>> other;  ///< by its own names, which have units
  std::optional<double> at;  ///< seconds since 1970 by the line's own clock
  double at_quantum = 0;     ///< the step in which that is written; 0: not kept
  /// Each rank may print the line, and the same as others do: those without a label are counted.
  bool is_by_each_rank = false;
};

/// The steps of a launch, each once, whoever prints it: of the figures of several ranks the slowest
/// counts, as all wait for it.
class StepRows {
 public:
  enum class Added {
    kTaken,    ///< a step that is new, or another rank's figure of it
    kAgain,    ///< the same line, printed twice
    kRestart,  ///< the numbers go back: not taken
  };
  Added add(const StepRecord& record, const Speaker& speaker);
  bool spoke(const Speaker& speaker) const { return streams_.count(speaker.name) > 0; }

  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  std::int64_t last_step() const { return rows_.empty() ? 0 : rows_.back().record.step; }

  struct Row {
    StepRecord record;
    std::int64_t ranks = 1;            ///< that told of it
    double fastest = 0;                ///< figure of the rank that was
    std::uint64_t said = 0;            ///< a hash of the slowest's line
    std::vector<std::uint64_t> lines;  ///< hashes with their time, of those that are counted
  };
  /// In the order of their steps.
  const std::deque<Row>& rows() const { return rows_; }
  std::deque<Row>& rows() { return rows_; }

  /// The median over rows of a quotient of two of their values by name; nothing where no row has
  /// both.
  std::optional<double> median_quotient(std::string_view over, std::string_view under) const;

 private:
  struct Stream {
    std::int64_t last = 0;
    std::uint64_t said = 0;
  };
  Stream* stream_of(const StepRecord& record, const Speaker& speaker);
  Added add_same_line(Row& row);
  std::deque<Row>::iterator place_of(std::int64_t step);

  std::deque<Row> rows_;
  bool is_repeat_ = false;  ///< the lines at hand have stood in the log before
  std::unordered_map<std::string, std::vector<Stream>> streams_;  ///< by speaker
};

/// Whether totals of so much time, with the means of their losses, may be of one training: of two
/// of its processes.
bool is_same_training(double time, const std::optional<double>& loss, double other_time,
                      const std::optional<double>& other_loss);

std::optional<double> value_named(const StepRecord& record, std::string_view name);

}  // namespace pippin
