// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/http/gate.h"
#include "core/http/message.h"
#include "harness/commands/steps/output.h"

namespace pippin::serving {

/// Answers what readers ask for. A page is made once for each state of the database, however many
/// ask, by one of a few threads; one that is made is given at once.
/// Nothing is written: not to the database, and not to the folders of runs.
class Desk {
 public:
  Desk(const Globals& globals, http::Gate gate);
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// From any thread.
  void answer(const http::Request& request, const http::Reply& reply);

 private:
  struct Home;
  std::unique_ptr<Home> home_;
};

}  // namespace pippin::serving
