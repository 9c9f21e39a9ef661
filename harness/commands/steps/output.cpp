// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/output.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string_view>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/fresh_file.h"
#include "core/base/text.h"
#include "core/jobs/quoting.h"
#include "reports/plain_text.h"

namespace pippin {

void write_error(const std::string& text) {
  // Who does not read it loses no more than that: not what the command was to do.
  std::fputs(text.c_str(), stderr);
}

std::string program_words(const Globals& globals) {
  if (globals.db == Globals{}.db) return "pippin";
  return "pippin --db " + bash_word(globals.db.string());
}

void remark(const Globals& globals, const std::string& line) {
  if (!globals.quiet) write_error(printable_lines(line) + "\n");
}

bool agrees(const Globals& globals, const std::string& question) {
  if (globals.yes) return true;
  if (!::isatty(STDIN_FILENO) || !::isatty(STDERR_FILENO)) return false;
  write_error(printable_lines(question) + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return lower(trim(answer)) == "y" || lower(trim(answer)) == "yes";
}

namespace {

/// All zeros where the descriptor is of no terminal.
winsize terminal_size(int descriptor) {
  winsize size{};
  if (!::isatty(descriptor) || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return {};
  return size;
}

}  // namespace

std::size_t terminal_width(int descriptor) { return terminal_size(descriptor).ws_col; }

std::size_t terminal_height(int descriptor) { return terminal_size(descriptor).ws_row; }

bool wants_colours() {
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (refused && *refused) return false;
  return ::isatty(STDOUT_FILENO) && terminal && std::string_view(terminal) != "dumb";
}

void write_output(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) machine_failed("standard output: cannot write: {}", std::strerror(errno));
}

namespace {

/// Where a link leads to, though there may be nothing yet.
fs::path end_of_links(fs::path path) {
  constexpr int kMost = 40;  // as the kernel follows
  std::error_code none;
  for (int i = 0; i < kMost && fs::is_symlink(fs::symlink_status(path, none)); ++i)
    path = path.parent_path() / fs::read_symlink(path);
  return path;
}

/// Whether a file must not take its place.
bool is_written_into(const fs::path& path) {
  std::error_code none;
  const auto status = fs::status(path, none);
  if (!fs::exists(status) || fs::is_directory(status)) return false;
  const std::string place = fs::absolute(path).lexically_normal().string();
  const bool is_open = place == "/dev/stdout" || place == "/dev/stderr" ||
                       place.starts_with("/dev/fd/") ||
                       (place.starts_with("/proc/") && place.find("/fd/") != std::string::npos);
  return is_open || !fs::is_regular_file(status);
}

}  // namespace

void write_named_file(const fs::path& path, std::string_view text) {
  if (!is_written_into(path)) return disk().write(end_of_links(path), text);
  Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file.open()) file_failed("open", path, errno);
  write_all(file, text, path);
  if (file.close() != 0) file_failed("write", path, errno);
}

std::ostream& output() { return std::cout; }

void end_output() {
  if (!output().flush()) {
    // The stream does not keep why; another byte finds out.
    write_output("\n");
    machine_failed("standard output: cannot be written");
  }
  write_output("");
}

bool wants_ascii() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* locale = std::getenv(name);
    if (!locale || !*locale) continue;
    const std::string text = lower(locale);
    return text.find("utf-8") == std::string::npos && text.find("utf8") == std::string::npos;
  }
  return false;
}

void write_text(const std::string& text) {
  const std::string lines = printable_lines(text);
  write_output(wants_ascii() ? ascii_of(lines) : lines);
}

}  // namespace pippin
