// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "probes/comm/communicator.h"
#include "probes/common/error.h"

namespace pippin::probes {

std::int64_t bytes_of(Element element) {
  switch (element) {
    case Element::kByte:
      return 1;
    case Element::kHalf:
    case Element::kBFloat16:
      return 2;
    case Element::kFloat:
      return sizeof(float);
    case Element::kDouble:
      return sizeof(double);
  }
  return 0;
}

void Communicator::send_receive(const void* out, int to, void* in, int from, std::int64_t count,
                                Element element) {
  const Call receive = start_receive(in, count, element, from);
  const Call send = start_send(out, count, element, to);
  receive->wait();
  send->wait();
}

namespace {

class Done final : public Pending {
 public:
  bool done() override { return true; }
  void wait() override {}
};

class Lone final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void barrier() override {}
  void all_reduce(const void* in, void* out, std::int64_t count, Element element,
                  Reduction) override {
    copy(in, out, count, element);
  }
  void all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    copy(in, out, count, element);
  }
  void reduce_scatter(const void* in, void* out, std::int64_t count, Element element) override {
    copy(in, out, count, element);
  }
  void broadcast(void*, std::int64_t, Element, int) override {}
  void reduce(const void* in, void* out, std::int64_t count, Element element, int) override {
    copy(in, out, count, element);
  }
  void all_to_all(const void* in, void* out, std::int64_t count, Element element) override {
    copy(in, out, count, element);
  }
  void send_receive(const void* out, int, void* in, int, std::int64_t count,
                    Element element) override {
    copy(out, in, count, element);
  }
  Call start_all_reduce(const void* in, void* out, std::int64_t count, Element element) override {
    return copy(in, out, count, element);
  }
  Call start_reduce_scatter(const void* in, void* out, std::int64_t count,
                            Element element) override {
    return copy(in, out, count, element);
  }
  Call start_all_gather(const void* in, void* out, std::int64_t count, Element element) override {
    return copy(in, out, count, element);
  }
  Call start_send(const void*, std::int64_t, Element, int) override { return nobody(); }
  Call start_receive(void*, std::int64_t, Element, int) override { return nobody(); }
  std::unique_ptr<Communicator> split(int) override { return make_lone_communicator(); }

 private:
  static Call copy(const void* in, void* out, std::int64_t count, Element element) {
    if (in != out) std::memcpy(out, in, static_cast<std::size_t>(count * bytes_of(element)));
    return std::make_unique<Done>();
  }
  static Call nobody() { throw Error(ExitCode::kMachine, "a rank alone has nobody to talk to"); }
};

}  // namespace

std::unique_ptr<Communicator> make_lone_communicator() { return std::make_unique<Lone>(); }

}  // namespace pippin::probes
