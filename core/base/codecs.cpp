// SPDX-License-Identifier: Apache-2.0
#include "core/base/codecs.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "core/base/error.h"

namespace pippin {

namespace {

/// No log needs more. `xz -9` takes 64 MiB, `zstd --ultra --long=30` this much.
constexpr int kMostMemory_log2 = 30;

void require(bool works, std::string_view library) {
  if (!works) machine_failed("{} cannot be used here", library);
}

/// The fields that zlib, liblzma and bzip2 have alike.
template <typename Stream>
void give(Stream& stream, std::string_view part, char* text, std::size_t room) {
  using In = decltype(stream.next_in);
  using Out = decltype(stream.next_out);
  using InBytes = decltype(stream.avail_in);
  using OutBytes = decltype(stream.avail_out);
  stream.next_in = reinterpret_cast<In>(const_cast<char*>(part.data()));
  stream.avail_in = static_cast<InBytes>(part.size());
  stream.next_out = reinterpret_cast<Out>(text);
  stream.avail_out = static_cast<OutBytes>(room);
}

template <typename Stream>
Codec::Step taken(const Stream& stream, std::string_view part, std::size_t room) {
  return {part.size() - stream.avail_in, room - stream.avail_out, false, nullptr};
}

class Gzip : public Codec {
 public:
  Gzip() {
    constexpr int kOfGzip = 16;
    require(::inflateInit2(&stream_, MAX_WBITS + kOfGzip) == Z_OK, "zlib");
  }
  ~Gzip() override { ::inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  Step step(std::string_view part, char* text, std::size_t room) override {
    give(stream_, part, text, room);
    const int found = ::inflate(&stream_, Z_NO_FLUSH);
    Step step = taken(stream_, part, room);
    step.ended = found == Z_STREAM_END;
    if (!step.ended && found != Z_OK && found != Z_BUF_ERROR)
      step.trouble = stream_.msg ? stream_.msg : ::zError(found);
    return step;
  }
  bool may_begin(unsigned char first) const override { return first == 0x1f; }
  void begin() override { ::inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

class Xz : public Codec {
 public:
  Xz() { Xz::begin(); }
  ~Xz() override { ::lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

  Step step(std::string_view part, char* text, std::size_t room) override {
    give(stream_, part, text, room);
    const lzma_ret found = ::lzma_code(&stream_, LZMA_RUN);
    Step step = taken(stream_, part, room);
    step.ended = found == LZMA_STREAM_END;
    if (!step.ended && found != LZMA_OK && found != LZMA_BUF_ERROR) step.trouble = words_of(found);
    return step;
  }
  bool may_begin(unsigned char first) const override { return first == 0xfd; }
  void begin() override {
    constexpr auto kMost = std::uint64_t{1} << kMostMemory_log2;
    require(::lzma_stream_decoder(&stream_, kMost, 0) == LZMA_OK, "liblzma");
  }

 private:
  static const char* words_of(lzma_ret found) {
    switch (found) {
      case LZMA_MEM_ERROR:
        return "no memory is left";
      case LZMA_MEMLIMIT_ERROR:
        return "they need more than 1 GiB of memory";
      case LZMA_OPTIONS_ERROR:
        return "this liblzma does not know their options";
      case LZMA_FORMAT_ERROR:
        return "no xz data begin there";
      default:
        return "their sums do not fit";
    }
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Bzip2 : public Codec {
 public:
  Bzip2() { require(::BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK, "bzip2's library"); }
  ~Bzip2() override { ::BZ2_bzDecompressEnd(&stream_); }
  Bzip2(const Bzip2&) = delete;
  Bzip2& operator=(const Bzip2&) = delete;

  Step step(std::string_view part, char* text, std::size_t room) override {
    give(stream_, part, text, room);
    const int found = ::BZ2_bzDecompress(&stream_);
    Step step = taken(stream_, part, room);
    step.ended = found == BZ_STREAM_END;
    if (!step.ended && found != BZ_OK)
      step.trouble = found == BZ_MEM_ERROR ? "no memory is left" : "their sums do not fit";
    return step;
  }
  bool may_begin(unsigned char first) const override { return first == 'B'; }
  void begin() override {
    ::BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    require(::BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK, "bzip2's library");
  }

 private:
  bz_stream stream_{};
};

class Zstd : public Codec {
 public:
  Zstd() {
    require(stream_ != nullptr, "libzstd");
    ::ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kMostMemory_log2);
  }

  Step step(std::string_view part, char* text, std::size_t room) override {
    ZSTD_inBuffer in{part.data(), part.size(), 0};
    ZSTD_outBuffer out{text, room, 0};
    const std::size_t found = ::ZSTD_decompressStream(stream_.get(), &out, &in);
    const bool failed = ::ZSTD_isError(found) != 0;
    return {in.pos, out.pos, found == 0, failed ? ::ZSTD_getErrorName(found) : nullptr};
  }
  bool may_begin(unsigned char first) const override {
    constexpr unsigned char kFrame = 0x28, kSkipped = 0x50;
    return first == kFrame || (first & 0xf0U) == kSkipped;
  }
  void begin() override {}  // it goes on by itself

 private:
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_{::ZSTD_createDStream(),
                                                                        ::ZSTD_freeDStream};
};

}  // namespace

std::unique_ptr<Codec> codec_of(std::string_view compression) {
  if (compression == "gzip") return std::make_unique<Gzip>();
  if (compression == "xz") return std::make_unique<Xz>();
  if (compression == "zstd") return std::make_unique<Zstd>();
  return std::make_unique<Bzip2>();
}

}  // namespace pippin
