#include "probes/comm/notice.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "probes/common/error.h"

namespace pippin::probes {

namespace {

[[noreturn]] void fail(const std::string& file) {
  throw Error(ExitCode::kMachine,
              "PROBES_RENDEZVOUS: cannot write " + file + ": " + std::strerror(errno));
}

}  // namespace

Notice read_notice(const std::string& file) {
  Notice notice;
  std::ifstream stream(file);
  if (!(stream >> notice.host >> notice.port >> notice.password)) return {};
  return notice;
}

PostedNotice::PostedNotice(std::string file, const Notice& notice)
    : file_(std::move(file)), password_(notice.password) {
  const std::string draft = file_ + "." + std::to_string(notice.password);
  {
    std::ofstream stream(draft);
    stream << notice.host << " " << notice.port << " " << notice.password << "\n";
    if (!stream.flush()) fail(draft);
  }
  if (std::rename(draft.c_str(), file_.c_str()) == 0) return;
  const int reason = errno;
  std::remove(draft.c_str());
  errno = reason;
  fail(file_);
}

PostedNotice::~PostedNotice() {
  if (read_notice(file_).password == password_) std::remove(file_.c_str());
}

}  // namespace pippin::probes
