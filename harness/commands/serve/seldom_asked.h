// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/work_queue.h"
#include "core/jobs/scheduler.h"

namespace pippin::serving {

/// Schedulers that are asked at most once a minute, whoever looks at however many pages: what they
/// said last, be it an error, stands until then, and while one is asked anew. Only before its first
/// answer do all wait for it. The one of this machine answers from files, and always.
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
    std::map<std::string, Wanted> wanted;
    Answers answers;
    std::exception_ptr failure;  ///< of the last question
    std::optional<Clock::time_point> asked_at = {};
    bool is_being_asked = false, has_answered = false;

    std::vector<Asked> to_ask(Clock::time_point now);
    Answers answers_to(const std::vector<Asked>& asked) const;
  };

  Answers query(const std::string& name, const std::vector<Asked>& asked);
  void ask(const std::string& name, Known& known, const std::vector<Asked>& all);

  Make make_;
  std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  std::condition_variable is_answered_;
  std::map<std::string, Known> known_;  ///< by the scheduler's name
  WorkQueue asking_{2};                 ///< ends before what it works on
};

}  // namespace pippin::serving
