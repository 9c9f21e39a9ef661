// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/harness/cli/pippin.h"
#include "tests/support/http_client.h"

namespace pippin::test {

/// `pippin serve` of t.db in a workplace, from when it has said its address.
class Served {
 public:
  explicit Served(const Workplace& place, std::vector<std::string> options = {});
  ~Served();  ///< kills it, if it still runs
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  const std::string& said() const { return said_; }  ///< on standard output
  std::string token() const;
  std::uint16_t port() const;
  const std::string& cookie() const { return cookie_; }  ///< as a header line

  /// A page, for who has the token.
  HttpAnswer get(const std::string& target, const std::string& more = "") const;
  /// Sends a signal and returns the exit code; 128 + n where signal n ended it.
  int end(int signal);

 private:
  int process_;
  fs::path out_;
  std::string said_;
  std::string cookie_;
};

}  // namespace pippin::test
