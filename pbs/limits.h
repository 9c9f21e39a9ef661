// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/jobs/scheduler.h"
#include "pbs/answers.h"

/// How many jobs PBS would take now. Pure.
namespace pippin::pbs {

/// The limit that a value such as "[u:PBS_GENERIC=20],[u:anna=50],[o:PBS_ALL=1000]" sets to one
/// user: their own, else the one for each user; INT64_MAX where it sets none. What all users, a
/// group or a project share is not here: only who submits learns of it.
std::int64_t limit_for(std::string_view value, std::string_view user);

/// Jobs of the user, each of an array's tasks counted.
struct Queued {
  std::int64_t all = 0;      ///< that wait or run
  std::int64_t waiting = 0;  ///< of those, in state Q
};

/// The server, or one of its queues: what it says, and what is there.
struct Limited {
  const Attributes& said;
  Queued there;
};

/// What both leave room for.
/// Source: max_array_size, max_queued and queued_jobs_threshold of pbs_server_attributes(7B) and
/// pbs_queue_attributes(7B).
Room room_of(const Limited& server, const Limited& queue, std::string_view user);

}  // namespace pippin::pbs
