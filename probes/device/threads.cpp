// SPDX-License-Identifier: Apache-2.0
#include "probes/device/threads.h"

namespace pippin::probes {

Threads::Threads(std::int64_t count) {
  helpers_.reserve(static_cast<std::size_t>(count - 1));
  for (std::int64_t i = 1; i < count; ++i) helpers_.emplace_back([this, i] { serve(i); });
}

Threads::~Threads() {
  {
    const std::lock_guard lock(mutex_);
    leave_ = true;
  }
  begin_.notify_all();
  for (auto& helper : helpers_) helper.join();
}

void Threads::everywhere(const std::function<void(std::int64_t)>& work) {
  if (helpers_.empty()) return work(0);
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = static_cast<std::int64_t>(helpers_.size());
    ++round_;
  }
  begin_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
}

void Threads::serve(std::int64_t thread) {
  for (std::int64_t seen = 0;;) {
    const std::function<void(std::int64_t)>* work = nullptr;
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return leave_ || round_ != seen; });
      if (leave_) return;
      seen = round_;
      work = work_;
    }
    (*work)(thread);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) end_.notify_one();
  }
}

}  // namespace pippin::probes
