// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/serve/served.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/base/text.h"

namespace pippin::test {

namespace {

/// What stands in a text between two others; empty where it does not.
std::string between(const std::string& text, const std::string& before, const std::string& behind) {
  const auto begin = text.find(before);
  if (begin == std::string::npos) return "";
  const auto from = begin + before.size();
  return text.substr(from, text.find(behind, from) - from);
}

[[noreturn]] void become_pippin(const Workplace& place, std::vector<std::string> words) {
  const auto file = [&](const char* name) {
    return ::open((place.path() / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  };
  ::dup2(file("serve.out"), STDOUT_FILENO);
  ::dup2(file("serve.err"), STDERR_FILENO);
  ::setenv("TMPDIR", place.path().c_str(), 1);
  ::unsetenv("XDG_RUNTIME_DIR");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (::chdir(place.path().c_str()) == 0) ::execv(PIPPIN_PROGRAM, arguments.data());
  ::_exit(127);
}

}  // namespace

Served::Served(const Workplace& place, std::vector<std::string> options)
    : process_(-1), out_(place.path() / "serve.out") {
  std::vector<std::string> words{"pippin", "--db", "t.db", "serve"};
  words.insert(words.end(), options.begin(), options.end());
  fs::remove(out_);
  process_ = ::fork();
  if (process_ == 0) become_pippin(place, words);
  while (said_.find("Ctrl-C ends it\n") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    said_ = disk().read(out_).value_or("");
    if (::waitpid(process_, nullptr, WNOHANG) == process_) {
      process_ = -1;
      throw std::runtime_error("pippin serve ended: " + place.text("serve.err"));
    }
  }
  HttpClient client(port());
  client.send(get_request("/?token=" + token()));
  const std::string said = client.answer().field("Set-Cookie");
  cookie_ = "Cookie: " + said.substr(0, said.find(';')) + "\r\n";
}

Served::~Served() {
  if (process_ > 0) end(SIGKILL);
}

std::string Served::token() const { return between(said_, "?token=", "\n"); }

std::uint16_t Served::port() const {
  const std::string host = between(said_, "open http://", "/?token");
  return static_cast<std::uint16_t>(parse_integer(host.substr(host.rfind(':') + 1)).value_or(0));
}

HttpAnswer Served::get(const std::string& target, const std::string& more) const {
  HttpClient client(port());
  client.send(get_request(target, cookie_ + more));
  return client.answer();
}

int Served::end(int signal) {
  ::kill(process_, signal);
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace pippin::test
