// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pippin::http {

/// What a reader asks for, as far as anybody here looks at it.
struct Request {
  std::string method;         ///< "GET"
  std::string target;         ///< "/report/gpt-52b?as=json"
  std::string host;           ///< as its header has it: "localhost:8642"; empty: none, or several
  std::string cookies;        ///< "a=1; b=2"
  std::string known_as;       ///< the ETag of what the reader has; empty: none
  std::string local_address;  ///< at which it arrived: "127.0.0.1"
};

/// Text that several answers share.
struct Body {
  std::shared_ptr<const std::string> whole;  ///< nullptr: there is none
  std::string_view shown;                    ///< the part of it that is sent
};

Body body_of(std::string text);

struct Response {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  Body body = {};
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< beside the usual ones
  std::string policy = {};  ///< content security policy; empty: the page may do nothing
};

/// A page of plain words.
Response plain_text(int status, const std::string& line);

/// Takes the answer, once, from any thread.
using Reply = std::function<void(Response)>;
/// Is asked on the server's thread, which it must not hold up; the reply may come later.
using Answer = std::function<void(const Request& request, Reply reply)>;

}  // namespace pippin::http
