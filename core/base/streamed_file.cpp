// SPDX-License-Identifier: Apache-2.0
#include "core/base/streamed_file.h"

#include <array>
#include <exception>
#include <streambuf>

#include "core/base/error.h"
#include "core/base/fresh_file.h"
#include "core/base/input_file.h"
#include "core/base/replace_file.h"

namespace pippin {

namespace {

/// The same path, where a file may be put.
const fs::path& writable_place(const fs::path& path) {
  std::error_code none;
  const std::string kind = odd_kind(path);
  if (!kind.empty() || fs::is_directory(path, none))
    bad_input("{}: is {}, not a file; name another", path.string(),
              kind.empty() ? "a folder" : kind);
  make_parents(path);
  return path;
}

}  // namespace

class StreamedFile::Buffer : public std::streambuf {
 public:
  explicit Buffer(const fs::path& path) : file_(writable_place(path)) {
    setp(part_.data(), part_.data() + part_.size());
  }

  void put_in_place() {
    sync();
    if (failure_) std::rethrow_exception(failure_);
    file_.write("");
    file_.put_in_place();
  }

 protected:
  int overflow(int character) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(character, traits_type::eof()))
      sputc(traits_type::to_char_type(character));
    return traits_type::not_eof(character);
  }

  int sync() override {
    try {
      if (!failure_) file_.append({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    } catch (const Error&) {
      failure_ = std::current_exception();
    }
    setp(part_.data(), part_.data() + part_.size());
    return failure_ ? -1 : 0;
  }

 private:
  FreshFile file_;
  std::array<char, kPartBytes> part_{};
  std::exception_ptr failure_;
};

StreamedFile::StreamedFile(const fs::path& path)
    : buffer_(std::make_unique<Buffer>(path)),
      stream_(std::make_unique<std::ostream>(buffer_.get())) {}

StreamedFile::~StreamedFile() = default;

std::ostream& StreamedFile::stream() { return *stream_; }

void StreamedFile::put_in_place() { buffer_->put_in_place(); }

}  // namespace pippin
