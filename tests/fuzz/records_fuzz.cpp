// SPDX-License-Identifier: Apache-2.0
// What probes and other programs write in JSON, and TensorBoard's events.
//
// Shape: a byte that chooses the reader, then the text. Of events either the bytes of a file, or
// lines of which each is a record: their checksums would keep all others out.
#include <string>
#include <string_view>
#include <vector>

#include "db/json.h"
#include "harness/scrape/canary.h"
#include "harness/scrape/golden_values.h"
#include "harness/scrape/probe_capabilities.h"
#include "harness/scrape/probe_records.h"
#include "harness/scrape/tensorboard.h"
#include "tests/fuzz/input.h"
#include "tests/harness/scrape/record_text.h"
#include "tests/harness/scrape/sample_events.h"

using namespace pippin;

namespace {

void read_events_in_parts(std::string_view file, std::size_t step) {
  const std::string whole = fuzz::text_or_refusal([&] { return test::text_of(read_events(file)); });
  const std::string parts = fuzz::text_or_refusal([&] {
    EventLog log;
    for (std::size_t at = 0; at < file.size(); at += step) log.add(file.substr(at, step));
    return test::text_of(log.runs());
  });
  looks_like_events(file.substr(0, kEventHeadBytes));
  fuzz::expect_same(whole, parts, "events that are cut anywhere give the same");
}

std::string records_of(fuzz::Input& input) {
  std::string file = test::events::version();
  while (!input.empty()) file += test::events::record(std::string(input.up_to("\xff\xff")));
  return file;
}

void read_canaries(std::string_view text) {
  fuzz::refusable([&] { read_canary_figures(text); });
  if (const auto reading = read_canary(text))
    fuzz::expect(reading->figures.has_value() == reading->problem.empty(),
                 "a reading has figures or a problem");
}

void read_probe_records(fuzz::Input& input) {
  CanaryFigures table;
  while (!input.empty()) read_probe_record(input.line(), table);
}

void read_stored_json(const std::string& text) {
  db::texts_in(text);
  db::values_in(text);
  const NamedValues pairs = db::pairs_in(text);
  const std::string written = db::json_pairs_of(pairs);
  fuzz::expect_same(written, db::json_pairs_of(db::pairs_in(written)),
                    "pairs that are written are read back");
  for (const auto& [name, value] : pairs) db::json_of(value);
}

void read(std::uint8_t reader, fuzz::Input& input) {
  switch (reader % 7) {
    case 0:
      return read_canaries(input.rest());
    case 1:
      return read_probe_records(input);
    case 2:
      read_probe_abilities(input.rest());
      return;
    case 3:
      looks_like_golden_values(input.rest());
      read_golden_values(input.rest());
      return;
    case 4:
      return read_events_in_parts(input.rest(), 1 + reader / 7);
    case 5:
      return read_events_in_parts(records_of(input), 1 + reader / 7);
    default:
      return read_stored_json(std::string(input.rest()));
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::read_chosen(data, size, read);
}
