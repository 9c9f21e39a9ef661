// SPDX-License-Identifier: Apache-2.0
#include "core/base/edit_document.h"

#include <atomic>
#include <fmt/format.h>
#include <sys/stat.h>
#include <thread>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

std::string text_of(const fs::path& file) { return disk().read(file).value_or("(none)"); }

std::string with_table(const std::string& text) { return text + "| table |\n"; }

}  // namespace

TEST_CASE("what was saved while a document was edited is edited anew") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md";
  disk().write(notes, "a\n");
  int saves = 0;
  edit_document(notes, [&](const std::string& text) {
    if (saves < 3) disk().write(notes, text + fmt::format("saved {}\n", ++saves));
    return with_table(text);
  });
  CHECK(text_of(notes) == "a\nsaved 1\nsaved 2\nsaved 3\n| table |\n");
  CHECK(disk().list(folder.path()) == std::vector<std::string>{"notes.md"});
}

TEST_CASE("a document that is saved again and again is left to its editor") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md";
  disk().write(notes, "0");
  int saves = 0;
  const auto edit = [&](const std::string& text) {
    disk().write(notes, std::to_string(++saves));
    return with_table(text);
  };
  CHECK_THROWS_WITH(edit_document(notes, edit),
                    Contains("notes.md: is saved again and again by another program"));
  CHECK(text_of(notes) == std::to_string(saves));
}

TEST_CASE("an editor that saves at any moment loses nothing") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md", save = folder / "save";
  constexpr int kSaves = 2000;
  disk().write(notes, "0\n");
  std::atomic<bool> is_over{false};
  std::thread editor([&] {
    for (int i = 1; i <= kSaves; ++i) {
      std::FILE* file = std::fopen(save.c_str(), "w");
      std::fprintf(file, "%d\n", i);
      std::fclose(file);
      fs::rename(save, notes);
    }
    is_over = true;
  });
  int edits = 0;
  while (!is_over) {
    try {
      edit_document(notes, [&](const std::string& text) {
        return fmt::format("{}{}\n", text.substr(0, text.find('\n') + 1), ++edits);
      });
    } catch (const Error&) {  // saved too often
    }
  }
  editor.join();
  CHECK_THAT(text_of(notes), Catch::StartsWith(fmt::format("{}\n", kSaves)));
}

TEST_CASE("links of a document stay, and so does its mode") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md";
  disk().write(notes, "a much longer text than what is to come\n");
  fs::permissions(notes, static_cast<fs::perms>(0640));
  fs::create_hard_link(notes, folder / "same.md");
  fs::create_symlink("notes.md", folder / "link.md");
  edit_document(folder / "link.md", [](const std::string&) { return "short\n"; });
  CHECK(fs::is_symlink(folder / "link.md"));
  for (const char* name : {"notes.md", "same.md", "link.md"})
    CHECK(text_of(folder / name) == "short\n");
  CHECK(fs::hard_link_count(notes) == 2);
  CHECK(fs::status(notes).permissions() == static_cast<fs::perms>(0640));
  CHECK(disk().list(folder.path()) == std::vector<std::string>{"link.md", "notes.md", "same.md"});
}

TEST_CASE("the whole text that a killed pippin left beside a document of two names is not lost") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md";
  disk().write(notes, "half");
  fs::create_hard_link(notes, folder / "same.md");
  disk().write(folder / "notes.md.pippin-whole", "half and half");
  CHECK_THROWS_WITH(edit_document(notes, with_table), Contains("move it over notes.md"));
  CHECK(text_of(notes) == "half");
  CHECK(text_of(folder / "notes.md.pippin-whole") == "half and half");
}

TEST_CASE("a document that cannot be read or written is named and stays as it is") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(edit_document(folder / "none.md", with_table),
                    Contains("none.md: cannot read"));
  CHECK_THROWS_WITH(edit_document(folder.path(), with_table), Contains("Is a directory"));
  disk().write(folder / "same.md", "text");
  const auto before = fs::last_write_time(folder / "same.md");
  edit_document(folder / "same.md", [](const std::string& text) { return text; });
  CHECK(fs::last_write_time(folder / "same.md") == before);
}
