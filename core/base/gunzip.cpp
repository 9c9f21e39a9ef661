#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <zlib.h>

#include "core/base/compressed_file.h"
#include "core/base/error.h"

namespace pippin {

namespace {

/// By zlib: libarchive passes over the sums of gzip, and so over damage that makes other numbers.
class Gunzip : public ByteSource {
 public:
  explicit Gunzip(CompressedFile file) : file_(std::move(file)) {
    constexpr int kGzip = 16;
    if (::inflateInit2(&stream_, MAX_WBITS + kGzip) != Z_OK)
      machine_failed("zlib cannot be used here");
  }
  ~Gunzip() override { ::inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  std::string_view next() override {
    stream_.next_out = reinterpret_cast<Bytef*>(text_.get());
    stream_.avail_out = kTextBytes;
    while (!over_ && stream_.avail_out > 0) {
      if (stream_.avail_in == 0) take_part();
      if (!over_) inflate();
    }
    return {text_.get(), kTextBytes - stream_.avail_out};
  }

 private:
  static constexpr unsigned kTextBytes = 1U << 16U;

  void take_part() {
    const std::string_view part = file_.next();
    if (part.empty() && !between_) file_.cut_off();
    over_ = part.empty();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<unsigned>(part.size());
  }

  void inflate() {
    constexpr Bytef kMagic = 0x1f;
    if (between_ && *stream_.next_in != kMagic) {
      file_.look_behind(stream_.avail_in);
      over_ = true;
      return;
    }
    const int found = ::inflate(&stream_, Z_NO_FLUSH);
    between_ = found == Z_STREAM_END;
    if (found != Z_OK && found != Z_STREAM_END)
      file_.fail(stream_.msg ? stream_.msg : "no reason is known");
    if (between_) ::inflateReset(&stream_);
  }

  CompressedFile file_;
  z_stream stream_{};
  std::unique_ptr<char[]> text_ = std::make_unique_for_overwrite<char[]>(kTextBytes);
  bool between_ = false;  ///< one of the files that it holds, one behind the other, and the next
  bool over_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> gunzipped(CompressedFile file) {
  return std::make_unique<Gunzip>(std::move(file));
}

}  // namespace pippin
