// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/serve/seldom_asked.h"

#include <stdexcept>

namespace pippin::serving {

namespace {

constexpr std::chrono::seconds kPause{60}, kForgotten{300};

}  // namespace

/// What a machine that looks takes for a scheduler.
class Asking : public Scheduler {
 public:
  Asking(SeldomAsked& all, std::string name) : all_(all), name_(std::move(name)) {}

  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override {
    return all_.query(name_, asked);
  }
  Handed submit(const JobRequest& /*request*/) override { refuse(); }
  void cancel(const std::vector<Asked>& /*asked*/) override { refuse(); }
  Room room() override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("a page hands over and ends no job"); }

  SeldomAsked& all_;
  std::string name_;
};

std::unique_ptr<Scheduler> SeldomAsked::scheduler(const std::string& name) {
  if (name == "local") return make_(name);
  return std::make_unique<Asking>(*this, name);
}

SeldomAsked::Answers SeldomAsked::query(const std::string& name, const std::vector<Asked>& asked) {
  Known* known = nullptr;
  {
    const std::lock_guard lock(mutex_);
    known = &known_[name];
  }
  const std::lock_guard lock(known->mutex);
  const auto now = now_();
  for (const auto& one : asked) known->wanted[one.token] = {one, now};
  if (!known->asked_at || now - *known->asked_at >= kPause) {
    std::erase_if(known->wanted,
                  [&](const auto& entry) { return now - entry.second.at > kForgotten; });
    std::vector<Asked> all;
    for (const auto& entry : known->wanted) all.push_back(entry.second.asked);
    known->asked_at = now;
    known->answers = make_(name)->query(all);
  }
  Answers answers;
  for (const auto& one : asked) {
    const auto found = known->answers.find(one.token);
    const bool fits = found != known->answers.end() &&
                      found->second.size() == static_cast<std::size_t>(one.tasks);
    if (fits) answers.insert(*found);
  }
  return answers;
}

}  // namespace pippin::serving
