// SPDX-License-Identifier: Apache-2.0
#include "core/http/gate.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/random.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace pippin::http {

namespace {

constexpr int kSeeOther = 303, kBadRequest = 400, kForbidden = 403, kNoSuchMethod = 405,
              kUriTooLong = 414, kMisdirected = 421;
constexpr std::size_t kLongestTarget = 4096, kCookieDigits = 8;

/// "localhost:8642", "[::1]:8642": without the port. The port may be another one: ssh -L gives it.
std::string host_name_in(const std::string& header) {
  const auto end = header.starts_with('[') ? header.find(']') + 1 : header.find(':');
  const std::string port = end < header.size() ? header.substr(end) : "";
  const bool is_port = port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) ==
                                                              std::string::npos);
  return is_port ? lower(header.substr(0, end)) : "";
}

/// An address as it stands in a URL.
std::string in_url(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

/// "login1", "login1:8642", "::1", "[::1]:8642": as host_name_in() gives it.
std::string host_named(const std::string& text) {
  const bool is_bare_address = std::count(text.begin(), text.end(), ':') > 1 && text[0] != '[';
  return host_name_in(is_bare_address ? in_url(text) : text);
}

}  // namespace

Body body_of(std::string text) {
  auto whole = std::make_shared<const std::string>(std::move(text));
  const std::string_view shown = *whole;
  return {std::move(whole), shown};
}

Response plain_text(int status, const std::string& line) {
  return {status, "text/plain; charset=utf-8", body_of(line + "\n")};
}

std::string new_token() {
  std::array<unsigned char, 24> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    machine_failed("random numbers: the system gives none: {}", std::strerror(errno));
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool equal_in_constant_time(const std::string& a, const std::string& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char other = b.empty() ? '\0' : b[i % b.size()];
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0;
}

/// Browsers send a host's cookies to all of its ports: tunnels to two servers may both be
/// localhost. A server that is begun again overwrites its own.
Gate::Gate(std::string token, const std::string& server, std::vector<std::string> hosts)
    : token_(std::move(token)),
      cookie_("pippin-" + hash_of(server).substr(0, kCookieDigits)),
      hosts_(std::move(hosts)) {
  for (auto& host : hosts_) {
    const std::string name = host_named(host);
    if (name.empty()) bad_input("--host '{}': no name of a host, nor an address", printable(host));
    host = name;
  }
  for (const char* own : {"localhost", "127.0.0.1", "[::1]"}) hosts_.emplace_back(own);
}

bool Gate::is_own_host(const Request& request) const {
  const std::string name = host_name_in(request.host);
  if (name.empty()) return false;
  return name == in_url(request.local_address) ||
         std::find(hosts_.begin(), hosts_.end(), name) != hosts_.end();
}

bool Gate::has_cookie(const std::string& cookies) const {
  const auto all = split(cookies, ';');
  return std::any_of(all.begin(), all.end(), [&](std::string_view one) {
    const auto equal = one.find('=');
    return equal != std::string_view::npos && trim(one.substr(0, equal)) == cookie_ &&
           equal_in_constant_time(token_, std::string(trim(one.substr(equal + 1))));
  });
}

/// The token leaves the address, and so the browser's history.
Response Gate::sent_on(const Target& target) const {
  std::string address = path_text(target.path);
  char before = '?';
  for (const auto& [name, value] : target.query) {
    if (name == "token") continue;
    address += before + percent_encoded(name) + "=" + percent_encoded(value);
    before = '&';
  }
  Response response = plain_text(kSeeOther, "go on to " + address);
  response.fields.emplace_back("Location", address);
  // "Strict" would keep it from who comes by a link in a mail, and these pages can only be read.
  response.fields.emplace_back(
      "Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Lax", cookie_, token_));
  return response;
}

std::optional<Response> Gate::answer(const Request& request, const Refused& refused,
                                     Target& target) const {
  if (request.method != "GET" && request.method != "HEAD") {
    Response response = plain_text(kNoSuchMethod, "these pages can only be read: GET and HEAD");
    response.fields.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (!is_own_host(request))
    return plain_text(kMisdirected,
                      "this is no address of this server; open the one that pippin serve printed, "
                      "or name the host with --host");
  if (request.target.size() > kLongestTarget)
    return plain_text(kUriTooLong, "the address is too long");
  auto named = target_of(request.target);
  if (!named) return refused(kBadRequest, "there is no such address");
  target = std::move(*named);
  if (const auto token = target.said("token"); token && equal_in_constant_time(token_, *token))
    return sent_on(target);
  if (has_cookie(request.cookies)) return std::nullopt;
  return refused(kForbidden,
                 "the address lacks the token, or has an old one; open the whole address that "
                 "pippin serve printed where it runs");
}

}  // namespace pippin::http
