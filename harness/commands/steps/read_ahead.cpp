// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/input_file.h"
#include "core/base/text.h"
#include "core/records/point.h"
#include "sweeps/estimate/megatron_work.h"

namespace pippin {

namespace {

constexpr std::size_t kMostThreads = 8, kMostFiles = 64;  // of one part
constexpr std::int64_t kPartBytesAbout = 4'000'000;
constexpr std::size_t kPartsAhead = 2;  // by thread

template <typename Scrape>
FileRead read_by(const fs::path& path, Scrape scrape) {
  FileRead file{path};
  try {
    file.scraped = scrape();
    if (!file.scraped) return file;
    for (auto& run : file.scraped->runs) fill_in_model(run);
  } catch (const ToldError& error) {
    file.trouble = fmt::format("{}: {}", printable(path.string()), error.what());
    file.is_told_wrong = true;
  } catch (const Error& error) {
    file.trouble = error.what();
    file.is_broken = dynamic_cast<const BrokenFile*>(&error) != nullptr;
  } catch (const std::bad_alloc&) {
    file.scraped.reset();
    file.trouble = fmt::format("{}: needs more memory than there is", printable(path.string()));
    file.is_broken = true;
  }
  return file;
}

}  // namespace

FileRead read_file(const fs::path& path, const LogHints& hints, const TextOptions& options) {
  return read_by(path, [&] { return std::optional(scrape_file(path, hints, options)); });
}

FileRead read_file(const fs::path& path, GrowingFile& growing) {
  return read_by(path, [&] { return growing.read(); });
}

struct ReadAhead::Shared {
  TellBytes tell;
  std::vector<std::vector<Item>> parts;
  std::mutex mutex;
  std::condition_variable is_read, may_read;
  std::size_t begun = 0, taken = 0;  ///< parts
  std::map<std::size_t, std::vector<FileRead>> read;
  std::exception_ptr trouble;  ///< no Error, such as a lack of memory
  bool over = false;
  std::vector<std::thread> threads;

  std::vector<FileRead> read_part(std::size_t part) const {
    std::vector<FileRead> files;
    files.reserve(parts[part].size());
    for (const auto& file : parts[part])
      files.push_back(
          read_file(file.path, {file.told, {}}, {.tell = tell, .is_file = file.is_file}));
    return files;
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      may_read.wait(lock, [&] { return over || begun < taken + kPartsAhead * threads.size(); });
      if (over || begun == parts.size()) return;
      const std::size_t part = begun++;
      lock.unlock();
      std::vector<FileRead> files;
      std::exception_ptr failed;
      try {
        files = read_part(part);
      } catch (...) {
        failed = std::current_exception();
      }
      lock.lock();
      if (failed) trouble = failed;
      read.emplace(part, std::move(files));
      is_read.notify_one();
    }
  }
};

ReadAhead::ReadAhead(std::vector<Item> files, TellBytes tell)
    : shared_(std::make_unique<Shared>()) {
  shared_->tell = std::move(tell);
  std::int64_t size = 0;
  for (auto& file : files) {
    const bool full = size >= kPartBytesAbout ||
                      (!shared_->parts.empty() && shared_->parts.back().size() >= kMostFiles);
    if (shared_->parts.empty() || full) {
      shared_->parts.emplace_back();
      size = 0;
    }
    size += file.size_bytes;
    shared_->parts.back().push_back(std::move(file));
  }
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = std::min({cores, kMostThreads, shared_->parts.size()});
  if (shared_->parts.size() < 2) return;  // nothing to be done beside it
  const std::lock_guard lock(shared_->mutex);
  try {
    for (std::size_t i = 0; i < threads; ++i)
      shared_->threads.emplace_back([shared = shared_.get()] { shared->work(); });
  } catch (const std::system_error&) {  // as many as may be; without one, next() reads
  }
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->over = true;
  }
  shared_->may_read.notify_all();
  for (auto& thread : shared_->threads) thread.join();
}

std::vector<FileRead> ReadAhead::next() {
  if (shared_->taken == shared_->parts.size()) return {};
  if (shared_->threads.empty()) return shared_->read_part(shared_->taken++);
  std::unique_lock lock(shared_->mutex);
  shared_->is_read.wait(
      lock, [&] { return shared_->trouble || shared_->read.count(shared_->taken) != 0; });
  if (shared_->trouble) std::rethrow_exception(shared_->trouble);
  auto files = std::move(shared_->read.extract(shared_->taken++).mapped());
  shared_->may_read.notify_one();
  return files;
}

}  // namespace pippin
