// SPDX-License-Identifier: Apache-2.0
#include "pbs/limits.h"

#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::pbs;
using Catch::Contains;

TEST_CASE("a limit is the user's own, else the one for each user, else none") {
  const std::string value = "[u:PBS_GENERIC=20],[u:anna=50],[o:PBS_ALL=7],[g:PBS_GENERIC=3]";
  CHECK(limit_for(value, "anna") == 50);
  CHECK(limit_for(value, "bob") == 20);
  CHECK(limit_for("[o:PBS_ALL=7]", "anna") == INT64_MAX);
  CHECK(limit_for("[u:anna=x]", "anna") == INT64_MAX);
  CHECK(limit_for("", "anna") == INT64_MAX);
}

TEST_CASE("there is room for what the lowest limit of server and queue leaves") {
  const Attributes nothing;
  Room room = room_of({nothing, {5, 5}}, {nothing, {5, 5}}, "anna");
  CHECK(room.tasks == INT64_MAX);
  CHECK(room.tasks_per_job == 10000);
  CHECK(room.limit.empty());
  const Attributes server{{"max_array_size", "1001"}, {"max_queued", "[u:PBS_GENERIC=20]"}};
  const Attributes queue{{"max_array_size", "50"}, {"queued_jobs_threshold", "[u:anna=8]"}};
  room = room_of({server, {15, 14}}, {queue, {5, 4}}, "anna");
  CHECK(room.tasks_per_job == 50);
  CHECK(room.tasks == 4);
  CHECK(room.limit == "queued_jobs_threshold of the queue is 8, and 4 of yours are there");
  const Attributes full{{"max_queued", "[u:anna=3]"}};
  room = room_of({full, {5, 5}}, {nothing, {}}, "anna");
  CHECK(room.tasks == 0);
}
