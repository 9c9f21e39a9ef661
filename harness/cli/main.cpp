// SPDX-License-Identifier: Apache-2.0
#include <boost/system/errc.hpp>
#include <boost/system/system_error.hpp>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

#include "core/base/text.h"
#include "harness/cli/command_line.h"

namespace pippin {
namespace {

/// One line, whatever names of files or texts of users stand in it.
void say(const std::string& line) { write_error("pippin: " + line + "\n"); }

/// What this process needs of its own, however it was started.
void settle_in() {
  // A file that we opened as number 1 or 2 would get what is meant for a person. Opened the wrong
  // way round, so that who uses them gets an error.
  for (int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) < 0) ::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  // Ignored by a parent, it would hide how the programs end that we start.
  std::signal(SIGCHLD, SIG_DFL);
  // A file that may grow no more is an error that is told, and not our end; programs that we start
  // have it as it was.
  std::signal(SIGXFSZ, [](int) {});
}

ExitCode pippin_main(int argc, char** argv) {
  CommandLine line;
  add_campaign_commands(line);
  add_database_commands(line);
  add_notes_commands(line);
  add_doctor_command(line);
  add_estimate_command(line);
  add_search_command(line);
  add_calibrate_command(line);
  add_probes_command(line);
  try {
    return line.run(argc, argv);
  } catch (const Error& error) {
    say(printable(error.what()));
    return error.exit_code();
  }
}

}  // namespace
}  // namespace pippin

int main(int argc, char** argv) {
  pippin::settle_in();
  try {
    return static_cast<int>(pippin::pippin_main(argc, argv));
  } catch (const boost::system::system_error& error) {
    const bool too_many = error.code() == boost::system::errc::too_many_files_open ||
                          error.code() == boost::system::errc::too_many_files_open_in_system;
    pippin::say(too_many ? "too many files are open; raise the limit (ulimit -n)"
                         : pippin::printable(error.what()));
    return static_cast<int>(pippin::ExitCode::kMachine);
  } catch (const std::exception& error) {
    pippin::say(pippin::printable(error.what()));
    return static_cast<int>(pippin::ExitCode::kMachine);
  }
}
