#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/cli/commands.h"

namespace pippin {

void remark(const Globals& globals, const std::string& line) {
  if (!globals.quiet) fmt::print(stderr, "{}\n", line);
}

std::size_t terminal_width(int descriptor) {
  winsize size{};
  return ::isatty(descriptor) && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void write_output(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) machine_failed("standard output: cannot write: {}", std::strerror(errno));
}

}  // namespace pippin
