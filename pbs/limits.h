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

/// What the server and a queue leave room for. `queued`: jobs of the user that wait or run, each
/// of an array's tasks counted.
/// Source: max_array_size, max_queued and queued_jobs_threshold of pbs_server_attributes(7B) and
/// pbs_queue_attributes(7B).
Room room_of(const Attributes& server, const Attributes& queue, std::string_view user,
             std::int64_t queued, std::int64_t waiting);

}  // namespace pippin::pbs
