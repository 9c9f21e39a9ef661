// SPDX-License-Identifier: Apache-2.0
// What the programs of PBS print.
//
// Shape: a byte that chooses the reader, then the answer.
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "pbs/answers.h"
#include "pbs/limits.h"
#include "tests/fuzz/input.h"

using namespace pippin;
using namespace pippin::pbs;

namespace {

void read_jobs(std::string_view output) {
  for (const auto& entry : entries_of(read_objects(output, "Jobs"))) {
    status_of(entry);
    remedy_of(entry);
    fuzz::expect(entry.task >= 0, "no task has a number below 0");
  }
}

void read_room(std::string_view output) {
  for (const auto& [server, attributes] : read_objects(output, "Server")) {
    for (const auto& [queue, own] : read_objects(output, "Queue")) {
      const Room room = room_of({attributes, {3, 2}}, {own, {3, 2}}, "anna");
      fuzz::expect(room.tasks >= 0 && room.tasks_per_job >= 0, "there is no less than no room");
    }
  }
}

void read_small_things(std::string_view text) {
  seconds_of(text);
  time_of(text);
  array_id_of(text);
  limit_for(text, "anna");
  speaks_of_unknown_jobs_only(text);
  const std::string name = job_name_of(text);
  fuzz::expect(job_name_of(name) == name, "a name that a job may have stays");
}

void read_said(fuzz::Input& input) {
  const int code = input.byte();
  const std::string_view output = input.line();
  read_submission(code, output, input.rest());
}

void read(std::uint8_t reader, fuzz::Input& input) {
  switch (reader % 4) {
    case 0:
      return read_jobs(input.rest());
    case 1:
      return read_room(input.rest());
    case 2:
      return read_small_things(input.rest());
    default:
      return read_said(input);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::read_chosen(data, size, read);
}
