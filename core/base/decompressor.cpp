// SPDX-License-Identifier: Apache-2.0
#include "core/base/decompressor.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/codecs.h"
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

class Decompressor : public ByteSource {
 public:
  Decompressor(CompressedFile file, std::unique_ptr<Codec> codec)
      : file_(std::move(file)), codec_(std::move(codec)) {}

  std::string_view next() override {
    std::size_t size = 0;
    while (!over_ && size < kTextBytes) {
      // What filled the text may have more that it holds back.
      if (part_.empty() && !was_full_) take_part();
      if (between_) begin_another();
      if (!over_ && !between_) size += decode(size);
    }
    return {text_.get(), size};
  }

 private:
  static constexpr std::size_t kTextBytes = std::size_t{1} << 16U;

  void take_part() {
    part_ = file_.next();
    over_ = part_.empty();
    if (over_ && !between_) file_.cut_off();
  }

  /// Behind the NULs that a tape or a program pads with.
  void begin_another() {
    part_.remove_prefix(std::min(part_.find_first_not_of('\0'), part_.size()));
    if (part_.empty()) return;
    between_ = !codec_->may_begin(static_cast<unsigned char>(part_.front()));
    if (!between_) return codec_->begin();
    file_.look_behind(part_.size());
    over_ = true;
  }

  std::size_t decode(std::size_t size) {
    const std::size_t room = kTextBytes - size;
    const Codec::Step step = codec_->step(part_, text_.get() + size, room);
    const bool is_stuck = step.taken == 0 && step.given == 0 && !part_.empty() && !step.ended;
    if (step.trouble || is_stuck) file_.fail(step.trouble ? step.trouble : "they lead nowhere");
    part_.remove_prefix(step.taken);
    between_ = step.ended;
    was_full_ = step.given == room && !step.ended;
    return step.given;
  }

  CompressedFile file_;
  const std::unique_ptr<Codec> codec_;
  std::unique_ptr<char[]> text_ = std::make_unique_for_overwrite<char[]>(kTextBytes);
  std::string_view part_;  ///< that is not decoded yet
  bool between_ = false;   ///< one of the files that it holds, one behind the other, and the next
  bool was_full_ = false, over_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> decompressed(const fs::path& path, std::string_view first,
                                         InputFile& rest) {
  const std::string_view compression = compression_of(first);
  CompressedFile file(path, compression, first, rest);
  return std::make_unique<Decompressor>(std::move(file), codec_of(compression));
}

}  // namespace pippin
