// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_file.h"

#include <optional>
#include <utility>

#include "core/base/decompressor.h"

namespace pippin {

namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf", kLittleMark = "\xff\xfe",
                           kBigMark = "\xfe\xff";

/// Source: POSIX.1-2017, pax, "ustar Interchange Format": the field magic.
bool is_tar(std::string_view beginning) {
  constexpr std::size_t kMagic = 257;
  return beginning.size() > kMagic && beginning.substr(kMagic).starts_with("ustar");
}

/// What a source gives first, long enough to tell its kind: a compressed file may come in bits.
class Beginning {
 public:
  explicit Beginning(ByteSource& source) : first_(source.next()) {
    constexpr std::size_t kEnough = 512;
    if (first_.empty() || first_.size() >= kEnough) return;
    std::string_view more = first_;
    do {
      kept_ += more;
      more = source.next();
    } while (!more.empty() && kept_.size() + more.size() < kEnough);
    kept_ += more;
    first_ = kept_;
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;
  std::string_view bytes() const { return first_; }

 private:
  std::string kept_;
  std::string_view first_;
};

/// Passes a text on, whatever its characters are.
class TextPasser {
 public:
  TextPasser(const TakeText& take, bool any) : lines_(take), any_(any) {}

  /// Returns what is left of the beginning.
  std::string_view skip_mark(std::string_view beginning) {
    for (const auto mark : {kUtf8Mark, kLittleMark, kBigMark}) {
      if (!beginning.starts_with(mark)) continue;
      marked_ = true;
      if (mark == kLittleMark) wide_.emplace(Utf16::Order::kLittle);
      if (mark == kBigMark) wide_.emplace(Utf16::Order::kBig);
      return beginning.substr(mark.size());
    }
    return beginning;
  }

  bool add(std::string_view part) { return pass(wide_ ? wide_->add(part) : part); }
  void finish() {
    if (wide_) pass(wide_->finish());
    lines_.finish();
  }
  bool is_binary() const { return !any_ && watch_.is_binary(); }
  bool changes() const { return marked_ || lines_.has_holes(); }

 private:
  bool pass(std::string_view part) {
    watch_.see(part);
    return !is_binary() && lines_.add(part);
  }

  WholeLines lines_;
  BinaryWatch watch_;
  std::optional<Utf16> wide_;
  const bool any_;
  bool marked_ = false;
};

bool is_hole(std::string_view part) {
  return part[0] == '\0' && part.find_first_not_of('\0') == std::string_view::npos;
}

/// `file`: where its bytes are the source's.
TextRead pass_on(std::string_view first, ByteSource& source, InputFile* file, const TakeText& take,
                 bool any) {
  TextRead read;
  if (first.empty()) read.refused = "is empty";
  if (!any && is_tar(first)) read.refused = "is a tar archive; unpack it and collect its files";
  if (!read.refused.empty()) return read;
  TextPasser passer(take, any);
  bool more = passer.add(passer.skip_mark(first));
  for (auto part = more ? source.next() : ""; more && !part.empty(); part = source.next()) {
    more = passer.add(part);
    if (file && is_hole(part)) file->skip_hole();
  }
  if (more) passer.finish();
  if (passer.is_binary()) read.refused = "is a binary file, not a log";
  read.as_it_is = file && !passer.changes();
  return read;
}

}  // namespace

TextRead read_text(const fs::path& path, const TakeText& take, const TextOptions& options) {
  InputFile file(path, options.tell, options.is_file);
  const std::string_view first = file.next();
  if (options.any || compression_of(first).empty())
    return pass_on(first, file, &file, take, options.any);
  const auto text = decompressed(path, first, file);
  const Beginning beginning(*text);
  TextRead read = pass_on(beginning.bytes(), *text, nullptr, take, false);
  read.compressed = true;
  return read;
}

bool is_plain(std::string_view beginning) {
  return compression_of(beginning).empty() && !beginning.starts_with(kUtf8Mark) &&
         !beginning.starts_with(kLittleMark) && !beginning.starts_with(kBigMark);
}

}  // namespace pippin
