#include "core/base/lock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace pippin {

FileLock::FileLock(const fs::path& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_ < 0) machine_failed("{}: cannot open: {}", path.string(), std::strerror(errno));
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder(trim(disk().read(path).value_or("")));
    ::close(file_);
    machine_failed("{}: held by {}; wait for it, or end it", path.string(),
                   holder.empty() ? "another pippin" : holder);
  }
  const std::string self = fmt::format("process {} on {}\n", ::getpid(), host_name());
  // Who holds it is said for people only; that the lock is ours does not hang on it.
  if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, self.data(), self.size(), 0) < 0) {
    ::close(file_);
    machine_failed("{}: cannot write: {}", path.string(), std::strerror(errno));
  }
}

FileLock::~FileLock() { ::close(file_); }

}  // namespace pippin
