// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs/scheduler.h"

namespace pippin::serving {

/// Schedulers that are asked at most once a minute, whoever looks at however many pages: what they
/// said last stands until then. The one of this machine answers from files, and always.
class SeldomAsked {
 public:
  using Clock = std::chrono::steady_clock;
  using Make = std::function<std::unique_ptr<Scheduler>(const std::string& name)>;

  /// `make`: those to ask; `now`: for tests.
  explicit SeldomAsked(Make make, std::function<Clock::time_point()> now = Clock::now)
      : make_(std::move(make)), now_(std::move(now)) {}

  /// A scheduler to look with: what would hand over or cancel throws.
  std::unique_ptr<Scheduler> scheduler(const std::string& name);

 private:
  friend class Asking;
  using Answers = std::map<std::string, std::vector<JobStatus>>;

  /// Those of which somebody wanted to know something lately.
  struct Wanted {
    Asked asked;
    Clock::time_point at;
  };
  struct Known {
    std::mutex mutex;  ///< held while one asks, so that the others get its answers
    std::map<std::string, Wanted> wanted;
    Answers answers;
    std::optional<Clock::time_point> asked_at = {};
  };

  Answers query(const std::string& name, const std::vector<Asked>& asked);

  Make make_;
  std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;  ///< by the scheduler's name
};

}  // namespace pippin::serving
