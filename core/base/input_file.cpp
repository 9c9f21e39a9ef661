// SPDX-License-Identifier: Apache-2.0
#include "core/base/input_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/packed_files.h"
#include "core/base/text.h"

namespace pippin {

namespace {

[[noreturn]] void cannot_read(const fs::path& path, int error) {
  const std::string text = fmt::format("{}: cannot read: {}", path.string(), std::strerror(error));
  if (is_of_machine(error)) throw BrokenFile(ExitCode::kMachine, text);
  throw Error(ExitCode::kBadInput, text);
}

/// The descriptor that a path names: 63 of /dev/fd/63.
std::optional<int> descriptor_named(const fs::path& path) {
  const std::string& name = path.native();
  if (name == "/dev/stdin") return STDIN_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    const auto number = parse_integer(std::string_view(name).substr(folder.size()));
    if (number && *number >= 0) return static_cast<int>(*number);
  }
  return std::nullopt;
}

std::string odd_kind(mode_t mode) {
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "";
}

/// Opens what may be opened. `mode`: of what was there before.
int open_file(const fs::path& path, mode_t mode) {
  if (S_ISDIR(mode)) cannot_read(path, EISDIR);
  if (!S_ISREG(mode) && !S_ISFIFO(mode))
    bad_input("{}: is {}, not a file; what it gives is read by 'pippin collect -', from a pipe",
              path.string(), odd_kind(mode));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) cannot_read(path, errno);
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == (mode & S_IFMT))
    return descriptor;
  ::close(descriptor);
  bad_input("{}: was replaced while it was opened; repeat the command", path.string());
}

/// Parts of files, kept for the next file: there may be thousands of small ones.
std::vector<std::unique_ptr<char[]>>& spare_parts() {
  thread_local std::vector<std::unique_ptr<char[]>> parts;
  return parts;
}

std::unique_ptr<char[]> new_part() {
  if (spare_parts().empty()) return std::make_unique_for_overwrite<char[]>(kPartBytes);
  auto part = std::move(spare_parts().back());
  spare_parts().pop_back();
  return part;
}

}  // namespace

bool is_of_machine(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
    case ENXIO:
      return false;
    default:
      return true;
  }
}

std::string odd_kind(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? odd_kind(status.st_mode) : "";
}

bool is_read_once(const fs::path& path) { return !odd_kind(path).empty(); }

fs::path file_behind(const fs::path& path) {
  const auto descriptor = descriptor_named(path);
  struct stat open {
  }, file{};
  if (!descriptor || ::fstat(*descriptor, &open) != 0 || !S_ISREG(open.st_mode)) return path;
  if (::lseek(*descriptor, 0, SEEK_CUR) != 0) return path;
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  const bool same = !error && ::stat(real.c_str(), &file) == 0 && file.st_ino == open.st_ino &&
                    file.st_dev == open.st_dev;
  return same ? real : path;
}

InputFile::InputFile(const fs::path& path, TellBytes tell, bool is_file)
    : path_(path), tell_(std::move(tell)) {
  struct stat status {};
  status.st_mode = S_IFREG;
  const auto named = descriptor_named(path);
  int error = 0;
  if (named) {
    error = ::fstat(*named, &status);
  } else if (!is_file) {
    error = ::stat(path.c_str(), &status);
  }
  const int reason = error != 0 ? errno : 0;
  if (reason == ENOENT || reason == ENOTDIR) packed_ = open_packed(path);
  if (packed_) return;
  if (reason != 0) cannot_read(path, reason);
  is_fifo_ = !named && S_ISFIFO(status.st_mode);
  descriptor_ = named ? ::fcntl(*named, F_DUPFD_CLOEXEC, 0) : open_file(path, status.st_mode);
  if (descriptor_ < 0) cannot_read(path, errno);
  part_ = new_part();
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (part_ && spare_parts().empty()) spare_parts().push_back(std::move(part_));
}

/// A FIFO without a writer says that it is at its end, as one does whose writer has gone.
void InputFile::wait_for_writer() {
  constexpr int kPatience_ms = 1000;
  pollfd wanted{descriptor_, POLLIN, 0};
  const int heard = ::poll(&wanted, 1, has_writer_ ? -1 : kPatience_ms);
  if (heard > 0) has_writer_ = true;
  if (heard == 0)
    bad_input(
        "{}: is a FIFO that nobody writes to; start its writer first, or pipe that into "
        "'pippin collect -'",
        path_.string());
}

std::size_t InputFile::read_some(char* to, std::size_t most) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, to, most);
    if (count > 0) return static_cast<std::size_t>(count);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) cannot_read(path_, errno);
    if (count == 0 && (!is_fifo_ || has_writer_)) return 0;
    if (count < 0) has_writer_ = true;  // it is silent
    wait_for_writer();
  }
}

std::string_view InputFile::next_packed() {
  const std::string_view part = packed_->next();
  at_end_ = part.empty();
  if (tell_ && !at_end_) tell_(static_cast<std::int64_t>(part.size()));
  return part;
}

std::string_view InputFile::next() {
  if (packed_) return next_packed();
  std::size_t size = 0;
  while (!at_end_ && size < kPartBytes) {
    const std::size_t count = read_some(part_.get() + size, kPartBytes - size);
    at_end_ = count == 0;
    has_writer_ = true;
    size += count;
  }
  if (tell_ && size > 0) tell_(static_cast<std::int64_t>(size));
  return {part_.get(), size};
}

void InputFile::skip_hole() {
  if (packed_) return;
  const off_t here = ::lseek(descriptor_, 0, SEEK_CUR);
  if (here < 0) return;
  const off_t data = ::lseek(descriptor_, here, SEEK_DATA);
  at_end_ = at_end_ || (data < 0 && errno == ENXIO);
  if (tell_ && data > here) tell_(data - here);
}

}  // namespace pippin
