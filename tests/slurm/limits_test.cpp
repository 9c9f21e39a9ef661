#include "slurm/limits.h"

#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::slurm;

namespace {

constexpr const char* kConfig = "MaxArraySize            = 1001\nMaxJobCount             = 1000\n";

}  // namespace

// Seen with 22.05: of MaxJobCount 1000 with 939 records, an array of 60 is taken and one of 61 is
// not; each task of an array counts, and each job that has ended until it is forgotten.
TEST_CASE("every record of the controller's counts, and the last is never given") {
  const Room room = room_of(kConfig, {939, 5}, {});
  CHECK(room.tasks == 60);
  CHECK(room.tasks_per_job == 1000);
  CHECK(room.limit == "MaxJobCount is 1000, and 939 jobs are there");
  CHECK(room_of(kConfig, {1200, 5}, {}).tasks == 0);
  CHECK(room_of("MaxArraySize = 0\nMaxJobCount = 10\n", {}, {}).tasks_per_job == 1);
  CHECK(room_of("", {5, 5}, {}).tasks == INT64_MAX);
}

TEST_CASE("a limit on a user's jobs counts those that wait or run") {
  const Queued queued =
      queued_of("me PENDING\nme RUNNING\nyou PENDING\nme COMPLETED\nme COMPLETING\n", "me");
  CHECK(queued.all == 5);
  CHECK(queued.ours == 3);
  const Room room = room_of(kConfig, queued, {4, "MaxSubmitJobs of account six is 4"});
  CHECK(room.tasks == 1);
  CHECK(room.limit == "MaxSubmitJobs of account six is 4, and 3 of yours are queued");
}

TEST_CASE("the limits of the account and QOS that a job gets are those that count") {
  const std::string users =
      "six|six|normal,long||100\nsix|seven|debug||10\nsix|eight|debug,long|long|\n";
  const std::string qualities = "normal|50\ndebug|1\nlong|\n";
  CHECK(submit_limit_of(users, qualities, "", "").most == 50);
  CHECK(submit_limit_of(users, qualities, "", "").name ==
        "MaxSubmitJobsPerUser of QOS normal is 50");
  CHECK(submit_limit_of(users, qualities, "", "long").most == 100);
  CHECK(submit_limit_of(users, qualities, "", "long").name ==
        "MaxSubmitJobs of account six is 100");
  CHECK(submit_limit_of(users, qualities, "seven", "").most == 1);
  CHECK(submit_limit_of(users, qualities, "eight", "").most == INT64_MAX);
  CHECK(submit_limit_of("", "", "", "").most == INT64_MAX);
  CHECK(submit_limit_of("sacctmgr: error\n", "", "", "").most == INT64_MAX);
}

TEST_CASE("jobs that are over take no share of a user's, and broken lines are none") {
  for (const char* state : {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED",
                            "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"}) {
    const Queued queued = queued_of(std::string("me ") + state + "\n\nme\n  me RUNNING \n", "me");
    CHECK(queued.all == 2);
    CHECK(queued.ours == 1);
  }
}

TEST_CASE("a limit that is not the lowest or no number does not count") {
  const std::string users =
      "six|six|normal||100\nsix|six|debug||200\nshort|line\nsix|six|long||50\n";
  CHECK(submit_limit_of(users, "", "", "").most == 50);
  CHECK(submit_limit_of("six|six|normal||-1\n", "", "", "").most == INT64_MAX);
  CHECK(submit_limit_of("six|six|normal||0\n", "", "", "").most == 0);
  CHECK(submit_limit_of("six|six|normal||\n", "x\nnormal|7\n", "", "").most == 7);
  CHECK(submit_limit_of("six|six|normal,long||\n", "long|3\nnormal|7\n", "", "").most == 7);
  CHECK(submit_limit_of("six|six|long||\n", "long|3\nnormal|7\n", "", "").most == 3);
  CHECK(submit_limit_of("six|six|normal|long|\n", "long|3\nnormal|7\n", "", "").most == 3);
  CHECK(submit_limit_of("six|six|normal|long|\n", "long|3\nnormal|7\n", "", "normal").most == 7);
  CHECK(submit_limit_of("", "long|3\nnormal|7\n", "", "long").most == 3);
}

TEST_CASE("room is what the tighter limit leaves, and never below none") {
  const std::string config = "MaxArraySize = 3\nMaxJobCount = 10\n";
  Room room = room_of(config, {4, 2}, {8, "L"});
  CHECK(room.tasks_per_job == 2);
  CHECK(room.tasks == 5);
  CHECK(room.limit == "MaxJobCount is 10, and 4 jobs are there");
  room = room_of(config, {4, 2}, {7, "L"});
  CHECK(room.tasks == 5);
  CHECK(room.limit == "MaxJobCount is 10, and 4 jobs are there");
  room = room_of(config, {4, 2}, {6, "L"});
  CHECK(room.tasks == 4);
  CHECK(room.limit == "L, and 2 of yours are queued");
  CHECK(room_of(config, {4, 9}, {6, "L"}).tasks == 0);
  CHECK(room_of("", {}, {}).tasks_per_job == 1);
  CHECK(room_of("MaxArraySize = 1\n", {}, {}).tasks_per_job == 1);
  CHECK(room_of("", {4, 2}, {6, "L"}).tasks == 4);
}
