// SPDX-License-Identifier: Apache-2.0
#include "core/base/work_queue.h"

#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

namespace pippin {

void leave_signals_to_others() {
  sigset_t those;
  sigemptyset(&those);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&those, signal);
  ::pthread_sigmask(SIG_BLOCK, &those, nullptr);
}

struct WorkQueue::Home {
  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      more.wait(lock, [&] { return is_ending || !waiting.empty(); });
      if (is_ending) return;
      const auto next = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      next();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable more;
  std::deque<std::function<void()>> waiting;
  bool is_ending = false;
  std::vector<std::thread> threads;
};

WorkQueue::WorkQueue(std::size_t threads) : home_(std::make_unique<Home>()) {
  for (std::size_t i = 0; i < threads; ++i) {
    home_->threads.emplace_back([this] {
      leave_signals_to_others();
      home_->work();
    });
  }
}

WorkQueue::~WorkQueue() { end(); }

void WorkQueue::end() {
  {
    const std::lock_guard lock(home_->mutex);
    home_->is_ending = true;
  }
  home_->more.notify_all();
  for (auto& thread : home_->threads) thread.join();
  home_->threads.clear();
}

void WorkQueue::add(std::function<void()> work) {
  {
    const std::lock_guard lock(home_->mutex);
    home_->waiting.push_back(std::move(work));
  }
  home_->more.notify_one();
}

std::size_t WorkQueue::waiting() const {
  const std::lock_guard lock(home_->mutex);
  return home_->waiting.size();
}

}  // namespace pippin
