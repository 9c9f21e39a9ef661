// SPDX-License-Identifier: Apache-2.0
// Database files of strangers, and damaged ones.
//
// Shape: a byte, then by it a whole file; changes of a sound file's bytes, of which each has four:
// two that say where by parts of the file, a place in that part, and the byte; or SQL that a
// stranger has run on a sound file. A sound file is small: its pages have 512 bytes. The byte also
// chooses what is asked, as to open a file takes less time than all questions, and of which sweep.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "db/database.h"
#include "db/sqlite.h"
#include "reports/digest.h"
#include "tests/db/sample_runs.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/input.h"

using namespace pippin;

namespace {

const fuzz::Folder& folder() {
  static const fuzz::Folder kFolder;
  return kFolder;
}

std::string make_sound_file() {
  const fs::path path = folder() / "sound.db";
  {
    Database database(path);
    database.put_campaign(test::campaign_of());
    database.put_run(test::run_of("a", test::log_of(1, 5)));
    database.put_run(test::run_of("b", test::log_of(1, 40, 1)));
    test::add(database, "foreign.log", test::log_of(1, 9));
    database.put_tag("best", {"gpt", 1});
  }
  db::Connection connection(path, false);
  connection.run("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM");
  std::string file = read_input(path);
  // As pippin leaves it: to open it writes nothing. Source: sqlite.org/fileformat2.html, 1.3.3.
  constexpr std::size_t kWriteVersion = 18, kReadVersion = 19;
  constexpr char kWithLog = 2;
  file.at(kWriteVersion) = file.at(kReadVersion) = kWithLog;
  return file;
}

const std::string& sound_file() {
  static const std::string kFile = make_sound_file();
  return kFile;
}

std::string changed(std::string file, std::string_view changes) {
  constexpr std::size_t kBytes = 4, kParts = 65536;
  const auto at = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(changes[i]));
  };
  for (; changes.size() >= kBytes; changes.remove_prefix(kBytes)) {
    const std::size_t part = (at(0) * 256 + at(1)) * file.size() / kParts;
    file[(part + at(2)) % file.size()] = changes[3];
  }
  return file;
}

/// What would do harm to other files, or take long by itself.
bool is_wild(const std::string& sql) {
  constexpr std::array<std::string_view, 11> kWild{
      "attach",  "vacuum", "journal", "temp_store",  "blob",     "hex",
      "replace", "printf", "format",  "pragma mmap", "recursive"};
  const std::string text = lower(sql);
  return std::any_of(kWild.begin(), kWild.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

void run_sql(const fs::path& path, const std::string& sql) {
  if (is_wild(sql)) return;
  fuzz::refusable([&] {
    db::Connection connection(path, false);
    connection.run("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
    connection.run(sql);
  });
}

fs::path file_of(std::uint8_t kind, std::string_view rest) {
  if (kind % 3 == 0) return folder().write("t.db", rest);
  if (kind % 3 == 1) return folder().write("t.db", changed(sound_file(), rest));
  const fs::path path = folder().write("t.db", sound_file());
  run_sql(path, std::string(rest));
  return path;
}

Digester digester() {
  return {1, [](const EachLine& each_line, const std::optional<std::int64_t>& warmup) {
            return digest_of(each_line, warmup);
          }};
}

using Question = void (*)(Database& database, const SampleFilter& filter);

/// What commands ask for.
constexpr Question kQuestions[] = {
    [](Database& database, const SampleFilter& filter) { database.contents(filter); },
    [](Database& database, const SampleFilter& filter) {
      database.digested_samples(filter, digester());
    },
    [](Database& database, const SampleFilter& filter) { database.rows({filter}, 1); },
    [](Database& database, const SampleFilter& filter) { database.evidence(filter); },
    [](Database& database, const SampleFilter& filter) { database.node_runs(filter); },
    [](Database& database, const SampleFilter& filter) { database.checkpoints(filter); },
    [](Database& database, const SampleFilter& filter) { database.collectives(filter); },
    [](Database& database, const SampleFilter& filter) { database.origins(filter); },
    [](Database& database, const SampleFilter& filter) {
      database.timers(filter, {"forward-compute"});
    },
    [](Database& database, const SampleFilter& filter) { database.run_logs(filter); },
    [](Database& database, const SampleFilter& filter) { database.dropped(filter); },
    [](Database& database, const SampleFilter&) { database.lines_of(1); },
    [](Database& database, const SampleFilter&) { database.runs_named("a"); },
    [](Database& database, const SampleFilter&) { database.selection("best"); },
    [](Database& database, const SampleFilter&) { database.campaigns({}); },
    [](Database& database, const SampleFilter&) { database.read_files("/"); },
    [](Database& database, const SampleFilter&) { database.folders(); },
    [](Database& database, const SampleFilter&) {
      database.set_aside({"gpt", 1});
    },
};

void ask(const fs::path& path, std::size_t chosen) {
  constexpr std::size_t kParts = 5;
  OpenDatabase how;
  how.create = false;
  Database database(path, how);
  const SampleFilter filter = chosen / kParts % 2 == 0 ? SampleFilter{} : SampleFilter{"gpt", 1};
  for (std::size_t i = chosen % kParts; i < std::size(kQuestions); i += kParts)
    fuzz::refusable([&] { kQuestions[i](database, filter); });
}

void write(const fs::path& path) {
  Database database(path);
  fuzz::refusable([&] {
    database.put_campaign(test::campaign_of());
    database.put_run(test::run_of("c", test::log_of(1, 5, 2)));
  });
  fuzz::refusable([&] { database.drop({{1}, {}, false}, "slow"); });
}

void merge(const fs::path& path) {
  const fs::path ours = folder().write("ours.db", sound_file());
  Database(ours).merge(path, {});
}

void clear() {
  for (const char* const name : {"t.db", "ours.db"})
    for (const char* const end : {"", "-wal", "-shm", "-journal"})
      fs::remove(folder() / (std::string(name) + end));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint8_t kind = input.byte();
  clear();
  const fs::path path = file_of(kind, input.rest());
  const int then = kind / 3 % 4;
  if (then == 1) fuzz::refusable([&] { merge(path); });
  if (then == 2) fuzz::refusable([&] { write(path); });
  if (then != 1) fuzz::refusable([&] { ask(path, kind / 12); });
  return 0;
}
