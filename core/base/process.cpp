// SPDX-License-Identifier: Apache-2.0
#include "core/base/process.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <future>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>
// Boost.Process has two interfaces; the first lies below v1 from Boost 1.86 on.
#if __has_include(<boost/process/v1/child.hpp>)
#include <boost/process/v1/args.hpp>
#include <boost/process/v1/async.hpp>
#include <boost/process/v1/async_pipe.hpp>
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/env.hpp>
#include <boost/process/v1/environment.hpp>
#include <boost/process/v1/error.hpp>
#include <boost/process/v1/extend.hpp>
#include <boost/process/v1/io.hpp>
#include <boost/process/v1/search_path.hpp>
namespace bp = boost::process::v1;
#else
#include <boost/process.hpp>
#include <boost/process/extend.hpp>
namespace bp = boost::process;
#endif

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

fs::path found(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  fs::path path = find_program(program);
  if (path.empty()) throw MissingProgram(program);
  return path;
}

std::vector<std::string> arguments(const std::vector<std::string>& command) {
  return {command.begin() + 1, command.end()};
}

int status_of(bp::child& child) {
  return WIFSIGNALED(child.native_exit_code()) ? 128 + WTERMSIG(child.native_exit_code())
                                               : child.exit_code();
}

// How long the rest of a killed program's output is waited for.
constexpr std::chrono::milliseconds kLastWords{200};

/// What a program says, up to more than anybody would read.
class Hearing {
 public:
  explicit Hearing(boost::asio::io_context& service) : pipe_(service), service_(service) {}
  bp::async_pipe& pipe() { return pipe_; }
  void begin() {
    boost::asio::async_read(pipe_, boost::asio::dynamic_buffer(text_, kMost),
                            [this](const boost::system::error_code& error, std::size_t) {
                              is_whole_ = static_cast<bool>(error);  // its end is one
                              if (!is_whole_) service_.stop();
                            });
  }
  bool is_too_long() const { return text_.size() >= kMost; }
  /// Nothing where the pipe is still open.
  std::string take() { return is_whole_ ? std::move(text_) : std::string(); }

 private:
  static constexpr std::size_t kMost = std::size_t{256} << 20;
  bp::async_pipe pipe_;
  boost::asio::io_context& service_;
  std::string text_;
  bool is_whole_ = false;
};

}  // namespace

Outcome run_program(const std::vector<std::string>& command) {
  try {
    boost::asio::io_context service;
    std::future<std::string> output;
    bp::child child(found(command.at(0)).string(), bp::args(arguments(command)),
                    bp::std_in<bp::null, (bp::std_out & bp::std_err)> output, service);
    service.run();
    child.wait();
    return {status_of(child), output.get()};
  } catch (const bp::process_error& error) {
    machine_failed("cannot start '{}': {}", command.at(0), error.code().message());
  }
}

Variables own_environment() {
  Variables variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos)
      variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

namespace {

/// Whether it has ended by then.
bool ends_until(bp::child& child, std::chrono::steady_clock::time_point until) {
  constexpr std::chrono::microseconds kLongestPause{50'000};
  std::chrono::microseconds pause{100};
  while (child.running()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
  return true;
}

}  // namespace

Answer ask_program(const std::vector<std::string>& command, const Variables& environment,
                   std::chrono::milliseconds patience) {
  bp::environment variables;
  for (const auto& [name, value] : environment) variables[name] = value;
  const pid_t parent = ::getpid();
  const auto die_with_parent = [parent](auto&) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(128 + SIGKILL);  // it was quicker
  };
  try {
    boost::asio::io_context service;
    Hearing output(service), errors(service);
    bp::child child(found(command.at(0)).string(), bp::args(arguments(command)), variables,
                    bp::std_in<bp::null, bp::std_out> output.pipe(), bp::std_err > errors.pipe(),
                    bp::extend::on_exec_setup(die_with_parent));
    output.begin();
    errors.begin();
    const auto until = std::chrono::steady_clock::now() + patience;
    service.run_for(patience);
    const bool is_too_long = output.is_too_long() || errors.is_too_long();
    // It may close its outputs and go on.
    const bool gave_up = !service.stopped() || !(is_too_long || ends_until(child, until));
    if (gave_up || is_too_long) ::kill(child.id(), SIGKILL);  // terminate() would lose its status
    // What it has started itself may hold the pipes for longer.
    if (gave_up) service.run_for(kLastWords);
    child.wait();
    if (is_too_long) machine_failed("'{}' says more than can be read", command.at(0));
    return {status_of(child), output.take(), errors.take(), gave_up};
  } catch (const bp::process_error& error) {
    machine_failed("cannot start '{}': {}", command.at(0), error.code().message());
  }
}

void start_detached(const std::vector<std::string>& command, const fs::path& log) {
  std::vector<std::string> detached{"--fork"};
  detached.insert(detached.end(), command.begin(), command.end());
  try {
    const int file =
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) file_failed("write", log, errno);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> sink(::fdopen(file, "a"), std::fclose);
    bp::child child(found("setsid").string(), bp::args(detached),
                    bp::std_in<bp::null, (bp::std_out & bp::std_err)> sink.get());
    child.wait();
    if (status_of(child) != 0)
      machine_failed("cannot start '{}': setsid exits {}", command.at(0), status_of(child));
  } catch (const bp::process_error& error) {
    machine_failed("cannot start '{}': {}", command.at(0), error.code().message());
  }
}

fs::path find_program(const std::string& name) { return bp::search_path(name).string(); }

std::string host_name() {
  std::array<char, 256> name{};  // Linux has at most 64
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

fs::path own_executable() {
  std::error_code no_proc;
  fs::path program = fs::read_symlink("/proc/self/exe", no_proc);
  if (!no_proc) return program;
  // A root without /proc: what the kernel was asked to start; nobody here changes the folder.
  const auto* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return fs::canonical(started);
}

std::string complaint_of(const Answer& answer) {
  const std::string_view errors = trim(answer.errors);
  if (answer.gave_up) return "no answer in time";
  if (errors.empty()) return fmt::format("exit {} without a word", answer.exit_code);
  return in_short(split(errors, '\n').front());
}

}  // namespace pippin
