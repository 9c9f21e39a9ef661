// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <fmt/format.h>

#include "core/base/process.h"
#include "core/base/text.h"
#include "core/base/user.h"
#include "core/http/server.h"
#include "harness/commands/commands.h"
#include "harness/commands/serve/desk.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/report_rows.h"

namespace pippin {

namespace {

constexpr std::uint16_t kUsualPort = 8642, kPortsTried = 20;

std::unique_ptr<http::Server> listening(const ServeOptions& options) {
  http::ServerOptions server;
  server.address = options.bind;
  if (options.port.value_or(0) > 0) {
    server.port = static_cast<std::uint16_t>(*options.port);
    return std::make_unique<http::Server>(server);
  }
  server.port = kUsualPort;
  return http::server_near(server, kPortsTried);
}

bool is_any_address(const std::string& host) { return host == "0.0.0.0" || host == "[::]"; }

bool is_of_this_machine_alone(const std::string& host) {
  return host.starts_with("127.") || host == "[::1]";
}

/// Behind a port of a login node that is not the usual one: " -p 2222".
std::string ssh_port() {
  const char* said = std::getenv("SSH_CONNECTION");
  const auto words = split(said ? said : "", ' ');
  const bool is_usual = words.size() != 4 || words[3] == "22" || !parse_integer(words[3]);
  return is_usual ? "" : fmt::format(" -p {}", words[3]);
}

/// The address to open, and how it can be opened elsewhere.
std::string words_on(const http::Server& server, const std::string& token) {
  const std::string host = server.host();
  const auto port = server.port();
  const std::string here = is_any_address(host) ? "127.0.0.1" : host;
  const std::string address = fmt::format("http://{}:{}/?token={}", here, port, token);
  std::string text = fmt::format("open {}\n", address);
  text += fmt::format("from another machine, type there first:\n  ssh -L {}:{}:{}{} {}@{}\n", port,
                      here, port, ssh_port(), own_user(), host_name());
  if (!is_of_this_machine_alone(here) || is_any_address(host)) {
    const std::string name = is_any_address(host) ? host_name() : here;
    text += fmt::format("or, unencrypted, open http://{}:{}/?token={} there\n", name, port, token);
  } else {
    text += "and open the same address there\n";
  }
  return text + "Ctrl-C ends it\n";
}

void warn_of_others(const http::Server& server) {
  if (is_of_this_machine_alone(server.host())) return;
  write_error(fmt::format(
      "serve: port {} is open to every machine that reaches this one; who has the token can read "
      "all of the database, and nothing is encrypted on the way\n",
      server.port()));
}

}  // namespace

ExitCode serve(const Globals& globals, const ServeOptions& options) {
  Globals readers = globals;
  readers.for_readers = true;
  existing_database(readers);  // what is wrong with it is said at once
  const Interruptible interruptible;
  const auto server = listening(options);
  std::vector<std::string> hosts = options.hosts;
  if (!is_any_address(server->host())) hosts.push_back(options.bind);
  if (!is_of_this_machine_alone(server->host())) hosts.push_back(host_name());
  const std::string token = http::new_token();
  serving::Desk desk(readers,
                     http::Gate(token, fmt::format("{}:{}", host_name(), server->port()), hosts));
  warn_of_others(*server);
  write_output(words_on(*server, token));
  constexpr double kLook_s = 1;
  server->run(
      [&](const http::Request& request, const http::Reply& reply) { desk.answer(request, reply); },
      [] {
        while (!Interruptible::interrupted()) Interruptible::pause(kLook_s);
      });
  return ExitCode::kDone;
}

}  // namespace pippin
