// SPDX-License-Identifier: Apache-2.0
// Database files of strangers, and damaged ones.
//
// Shape: a byte, then by it a whole file; changes of a sound file's bytes, of which each has four:
// two that say where by parts of the file, a place in that part, and the byte; or SQL that a
// stranger has run on a sound file. A sound file is small: its pages have 512 bytes.
#include <algorithm>
#include <array>
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
  return read_input(path);
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

/// What commands ask for.
void ask(Database& database, const SampleFilter& filter) {
  const auto try_all = [](auto... asks) { (fuzz::refusable(asks), ...); };
  try_all([&] { database.contents(filter); },
          [&] { database.digested_samples(filter, digester()); },
          [&] { database.rows({filter}, 1); }, [&] { database.evidence(filter); },
          [&] { database.node_runs(filter); }, [&] { database.checkpoints(filter); },
          [&] { database.collectives(filter); }, [&] { database.origins(filter); },
          [&] { database.timers(filter, {"forward-compute"}); }, [&] { database.run_logs(filter); },
          [&] { database.dropped(filter); });
}

void ask_all(const fs::path& path) {
  OpenDatabase how;
  how.create = false;
  Database database(path, how);
  ask(database, {});
  ask(database, {"gpt", 1});
  const auto try_all = [](auto... asks) { (fuzz::refusable(asks), ...); };
  try_all([&] { database.lines_of(1); }, [&] { database.runs_named("a"); },
          [&] { database.selection("best"); }, [&] { database.campaigns({}); },
          [&] { database.read_files("/"); }, [&] { database.folders(); },
          [&] {
            database.set_aside({"gpt", 1});
          });
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
  fuzz::refusable([&] { ask_all(path); });
  if (kind / 3 % 4 == 1) fuzz::refusable([&] { merge(path); });
  if (kind / 3 % 4 == 2) fuzz::refusable([&] { write(path); });
  return 0;
}
