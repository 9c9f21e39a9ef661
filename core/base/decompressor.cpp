#include "core/base/decompressor.h"

#include <algorithm>
#include <archive.h>
#include <array>
#include <cstdint>
#include <exception>
#include <utility>

#include "core/base/compressed_file.h"
#include "core/base/text.h"

namespace pippin {

namespace {

/// Source: RFC 1952 2.3.1, tukaani.org/xz/xz-file-format.txt 2.1.1.1, RFC 8878 3.1.1 and 3.1.2; of
/// bzip2 the name, a level and the six digits of pi that begin a block, or those that end a file.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kBeginnings{{
    {"gzip", "\x1f\x8b\x08"},
    {"xz", std::string_view("\xfd"
                            "7zXZ\0",
                            6)},
    {"zstd", "\x28\xb5\x2f\xfd"},
    {"bzip2", "\x31\x41\x59\x26\x53\x59"},
    {"bzip2", "\x17\x72\x45\x38\x50\x90"},
}};

/// pzstd begins a file with a frame that is to be skipped.
bool is_skippable_frame(std::string_view beginning) {
  constexpr unsigned char kFirst = 0x50, kLast = 0x5f;
  const auto first = static_cast<unsigned char>(beginning.empty() ? '\0' : beginning[0]);
  return first >= kFirst && first <= kLast && beginning.substr(1, 3) == "\x2a\x4d\x18";
}

}  // namespace

std::string_view compression_of(std::string_view beginning) {
  constexpr std::size_t kLevel = 4;  // "BZh9"
  if (is_skippable_frame(beginning)) return "zstd";
  const bool may_be_bzip2 = beginning.starts_with("BZh");
  for (const auto& [name, bytes] : kBeginnings) {
    const bool of_bzip2 = name == "bzip2";
    if (of_bzip2 ? may_be_bzip2 && beginning.substr(kLevel).starts_with(bytes)
                 : beginning.starts_with(bytes))
      return name;
  }
  return "";
}

fs::path name_within(const fs::path& path) {
  constexpr std::array<std::string_view, 5> kOfPrograms{".gz", ".xz", ".zst", ".zstd", ".bz2"};
  const std::string extension = lower(path.extension().string());
  const bool is_one =
      std::find(kOfPrograms.begin(), kOfPrograms.end(), extension) != kOfPrograms.end();
  return is_one ? path.stem() : path.filename();
}

namespace {

/// By libarchive.
class Unarchive : public ByteSource {
 public:
  explicit Unarchive(CompressedFile file) : file_(std::move(file)) {
    // Not all that libarchive knows: for some it would start programs.
    for (const auto support :
         {::archive_read_support_filter_xz, ::archive_read_support_filter_zstd,
          ::archive_read_support_filter_bzip2, ::archive_read_support_format_raw,
          ::archive_read_support_format_empty}) {
      if (support(reader_.get()) < ARCHIVE_WARN) fail();
    }
    archive_entry* entry = nullptr;
    if (::archive_read_open(reader_.get(), this, nullptr, give, nullptr) != ARCHIVE_OK) fail();
    found_ = ::archive_read_next_header(reader_.get(), &entry);
    if (found_ != ARCHIVE_OK && found_ != ARCHIVE_EOF) fail();
    // It takes a beginning that is too short for compressed data as they are.
    if (::archive_filter_code(reader_.get(), 0) == ARCHIVE_FILTER_NONE) file_.cut_off();
  }

  std::string_view next() override {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    while (size == 0 && (found_ == ARCHIVE_OK || found_ == ARCHIVE_RETRY))
      found_ = ::archive_read_data_block(reader_.get(), &data, &size, &offset);
    if (found_ == ARCHIVE_OK) return {static_cast<const char*>(data), size};
    if (found_ != ARCHIVE_EOF) fail();
    const auto left = file_.given_bytes() - ::archive_filter_bytes(reader_.get(), -1);
    file_.look_behind(static_cast<std::size_t>(std::max<std::int64_t>(left, 0)));
    return {};
  }

 private:
  static la_ssize_t give(archive* /*reader*/, void* self, const void** part) {
    auto& own = *static_cast<Unarchive*>(self);
    try {
      const std::string_view next = own.file_.next();
      *part = next.data();
      return static_cast<la_ssize_t>(next.size());
    } catch (...) {
      own.trouble_ = std::current_exception();
      return ARCHIVE_FATAL;
    }
  }

  [[noreturn]] void fail() const {
    if (trouble_) std::rethrow_exception(trouble_);
    const char* words = ::archive_error_string(reader_.get());
    file_.fail(words ? words : "no reason is known");
  }

  CompressedFile file_;
  std::exception_ptr trouble_;  ///< must not pass through C
  std::unique_ptr<archive, int (*)(archive*)> reader_{::archive_read_new(), ::archive_read_free};
  int found_ = ARCHIVE_OK;
};

}  // namespace

std::unique_ptr<ByteSource> decompressed(const fs::path& path, std::string_view first,
                                         InputFile& rest) {
  const std::string_view compression = compression_of(first);
  CompressedFile file(path, compression, first, rest);
  if (compression == "gzip") return gunzipped(std::move(file));
  return std::make_unique<Unarchive>(std::move(file));
}

}  // namespace pippin
