// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/meeting_place.h"

#include <limits>

#include "probes/common/environment.h"
#include "probes/common/error.h"
#include "probes/common/text.h"

namespace pippin::probes {

namespace {

std::uint16_t port_of(const std::string& word, const std::string& where) {
  const auto port = parse_integer(word);
  if (!port || *port < 1 || *port > std::numeric_limits<std::uint16_t>::max())
    bad_input(where + ": not a port: '" + word + "'");
  return static_cast<std::uint16_t>(*port);
}

/// What is behind `prefix`; empty where `word` begins otherwise.
std::string behind(const std::string& prefix, const std::string& word) {
  return word.rfind(prefix, 0) == 0 ? word.substr(prefix.size()) : "";
}

MeetingPlace place_from_url(const std::string& url) {
  const std::string where = "PROBES_RENDEZVOUS";
  if (const std::string file = behind("file://", url); !file.empty() && file[0] == '/')
    return {file, "", 0};
  const std::string address = behind("tcp://", url);
  const auto colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0)
    bad_input(where + ": neither file:///path nor tcp://host:port: '" + url + "'");
  return {"", address.substr(0, colon), port_of(address.substr(colon + 1), where)};
}

}  // namespace

std::string MeetingPlace::name() const {
  return file.empty() ? host + ":" + std::to_string(port) : "the place that " + file + " names";
}

MeetingPlace meeting_place() {
  if (const std::string url = environment("PROBES_RENDEZVOUS"); !url.empty())
    return place_from_url(url);
  const std::string host = environment("MASTER_ADDR"), port = environment("MASTER_PORT");
  if (host.empty() || port.empty())
    bad_input("launched as " + std::to_string(launched_world()) +
              " processes that have no place to meet without MPI: set MASTER_ADDR and MASTER_PORT, "
              "or PROBES_RENDEZVOUS=file:///path/that/all/see");
  MeetingPlace place{"", host, port_of(port, "MASTER_PORT")};
  if (environment("TORCHELASTIC_USE_AGENT_STORE") == "True") ++place.port;
  return place;
}

}  // namespace pippin::probes
