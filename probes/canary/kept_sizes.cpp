// SPDX-License-Identifier: Apache-2.0
#include "probes/canary/kept_sizes.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/comm/gather.h"
#include "probes/common/error.h"
#include "probes/common/text.h"

namespace pippin::probes {

namespace {

std::string line_of(const CanarySizes& sizes) {
  return text("side=%lld bytes=%lld pair_bytes=%lld\n", static_cast<long long>(sizes.side),
              static_cast<long long>(sizes.bytes), static_cast<long long>(sizes.pair_bytes));
}

bool is_message(std::int64_t bytes) { return bytes == 0 || bytes >= kFewestBytes; }

CanarySizes sizes_in(const std::string& line, const std::string& file) {
  long long side = 0, bytes = 0, pair_bytes = 0;
  std::sscanf(line.c_str(), "side=%lld bytes=%lld pair_bytes=%lld", &side, &bytes, &pair_bytes);
  const CanarySizes sizes{side, bytes, pair_bytes};
  const bool sound =
      line_of(sizes) == line && side > 0 && is_message(bytes) && is_message(pair_bytes);
  if (!sound) {
    bad_input(file + " holds no sizes of a canary: '" + printable(line.substr(0, 80)) +
              "'; remove it, and the next reading chooses anew");
  }
  return sizes;
}

/// Where nothing of that name is yet; false with errno.
bool publish(const std::string& file, const std::string& line) {
  std::string fresh = file + ".XXXXXX";
  const int handle = ::mkstemp(fresh.data());
  if (handle < 0) return false;
  const bool written =
      ::write(handle, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
      ::fchmod(handle, 0644) == 0 && ::fsync(handle) == 0;
  const bool linked = written && (::link(fresh.c_str(), file.c_str()) == 0 || errno == EEXIST);
  const int error = errno;
  ::close(handle);
  ::unlink(fresh.c_str());
  errno = error;
  return linked;
}

}  // namespace

KeptSizes::KeptSizes(const std::string& folder, const std::string& device, Communicator& world)
    : world_(world) {
  const int nodes = find_nodes(world).count();
  if (!folder.empty())
    file_ = text("%s/canary-sizes-%s-%d-ranks-%d-nodes", folder.c_str(), device.c_str(),
                 world.size(), nodes);
}

CanarySizes KeptSizes::read() const {
  if (file_.empty()) return {};
  // The first rank's view is everybody's, as a file may reach one node later than another.
  std::string line;
  if (world_.rank() == 0) {
    std::ifstream file(file_);
    line.assign(std::istreambuf_iterator<char>(file), {});
  }
  line = gathered(world_, line).front();
  return line.empty() ? CanarySizes{} : sizes_in(line, file_);
}

void KeptSizes::keep(const CanarySizes& sizes) const {
  if (file_.empty() || world_.rank() != 0) return;
  if (!publish(file_, line_of(sizes)))
    std::fprintf(stderr,
                 "canary: cannot keep the sizes in %s: %s; the next reading may have others\n",
                 file_.c_str(), std::strerror(errno));
}

}  // namespace pippin::probes
