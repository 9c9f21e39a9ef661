// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/http/message.h"
#include "core/http/target.h"

namespace pippin::http {

/// 192 bits of the operating system's random numbers, in hexadecimal.
/// Errors: Error (machine) where it has none.
std::string new_token();

/// Whether two texts are equal, in a time that says nothing of where they differ.
bool equal_in_constant_time(const std::string& a, const std::string& b);

/// Who may read: whoever has the token. It is said once, in the address, and is a cookie from then
/// on; an answer sends the reader on to the address without it. A request by another host's name is
/// refused: a page from elsewhere may have had its own name lead here (DNS rebinding).
class Gate {
 public:
  /// `server`: a name that no other server has that may be reached under the same address.
  /// `hosts`: beside localhost and the address at which a request arrives; a port behind one counts
  /// for nothing.
  Gate(std::string token, const std::string& server, std::vector<std::string> hosts);

  const std::string& token() const { return token_; }
  const std::string& cookie_name() const { return cookie_; }

  /// The answer to a request that gets no further; nothing where it may, with `target` filled in.
  /// `refused` makes the page of one that is refused for what a person can mend.
  using Refused = std::function<Response(int status, const std::string& line)>;
  std::optional<Response> answer(const Request& request, const Refused& refused,
                                 Target& target) const;

 private:
  bool is_own_host(const Request& request) const;
  bool has_cookie(const std::string& cookies) const;
  Response sent_on(const Target& target) const;

  std::string token_, cookie_;
  std::vector<std::string> hosts_;
};

}  // namespace pippin::http
