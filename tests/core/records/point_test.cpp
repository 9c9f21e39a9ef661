// SPDX-License-Identifier: Apache-2.0
#include "core/records/point.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// Every field with a value of its own.
Point full_point() {
  Point point;
  point.trainer = "training";
  Model& model = point.model;
  model.size = "52B";
  model.style = "gpt2";
  model.layers = 11;
  model.hidden = 12;
  model.heads = 13;
  model.kv_heads = 14;
  model.ffn = 15;
  model.seq = 16;
  model.vocab = 17;
  model.padded_vocab = 18;
  model.params = 19;
  model.active_params = 31;
  model.token_weights = 32;
  model.attention_widths = 33;
  Layout& layout = point.layout;
  layout.tp = 21;
  layout.pp = 22;
  layout.dp = 23;
  layout.cp = 24;
  layout.mbs = 25;
  layout.gas = 26;
  layout.gpus = 27;
  layout.gbs = 28;
  point.axes = {{"zero", value_of(1.0)}, {"offload", value_of(std::string("none"))}};
  return point;
}

std::string id_with(const Environment& env) { return point_id(full_point(), env); }

template <typename Change>
std::string id_after(Change change) {
  Point point = full_point();
  change(point);
  return point_id(point);
}

}  // namespace

TEST_CASE("what is known of a point stands under its names, in their order") {
  std::string text;
  for (const auto& [name, value] : named_values(full_point()))
    text += name + "=" + value.text + " ";
  CHECK(text ==
        "size=52B style=gpt2 layers=11 hidden=12 heads=13 kv_heads=14 ffn=15 seq=16 vocab=17 "
        "padded_vocab=18 tp=21 pp=22 dp=23 cp=24 mbs=25 gas=26 gpus=27 gbs=28 zero=1 "
        "offload=none ");
  for (const auto& [name, value] : named_values(full_point())) {
    CAPTURE(name);
    const bool is_word = name == "size" || name == "style" || name == "offload";
    CHECK(value.number.has_value() == !is_word);
  }
  CHECK(named_values({}).empty());
}

TEST_CASE("a point's identity is the same for ever") {
  // Databases hold it.
  CHECK(point_id(full_point()) == "82dfbcdb3948e547");
  CHECK(point_id({}) == "abf33e125b431193");
  CHECK(id_with({{"A", "1"}}) == "0a03fab583019a85");
}

TEST_CASE("whatever is a point's own makes another identity") {
  const std::string id = point_id(full_point());
  CHECK(id.size() == 16);
  CHECK(id_after([](Point& p) { p.trainer = "replay"; }) != id);
  CHECK(id_after([](Point& p) { p.model.size = "53B"; }) != id);
  CHECK(id_after([](Point& p) { p.model.style = "llama"; }) != id);
  for (Count Model::*field : {&Model::layers, &Model::hidden, &Model::heads, &Model::kv_heads,
                              &Model::ffn, &Model::seq, &Model::vocab, &Model::padded_vocab})
    CHECK(id_after([&](Point& p) { p.model.*field = 99; }) != id);
  for (Count Layout::*field : {&Layout::tp, &Layout::pp, &Layout::dp, &Layout::cp, &Layout::mbs,
                               &Layout::gas, &Layout::gpus, &Layout::gbs})
    CHECK(id_after([&](Point& p) { p.layout.*field = 99; }) != id);
  CHECK(id_after([](Point& p) { p.axes[0].second = value_of(2.0); }) != id);
  CHECK(id_after([](Point& p) { p.axes[0].first = "zero1"; }) != id);
  CHECK(id_after([](Point& p) { p.axes[1].second = value_of(std::string("cpu")); }) != id);
  CHECK(id_with({{"A", "1"}}) != id);
  CHECK(id_with({{"A", "1"}}) != id_with({{"A", "2"}}));
  CHECK(id_with({{"A", "1"}}) != id_with({{"B", "1"}}));
}

TEST_CASE("what is not a point's own leaves its identity") {
  const std::string id = point_id(full_point());
  CHECK(id_after([](Point& p) { p.name = "x"; }) == id);
  CHECK(id_after([](Point& p) { p.id = "x"; }) == id);
  for (Count Model::*field :
       {&Model::params, &Model::active_params, &Model::token_weights, &Model::attention_widths})
    CHECK(id_after([&](Point& p) { p.model.*field = 99; }) == id);
  CHECK(id_after([](Point& p) { p.model.size = "52b"; }) == id);
  CHECK(id_after([](Point& p) { p.axes[0].second = value_of(std::string("1.0")); }) == id);
  CHECK(id_after([](Point& p) { std::swap(p.axes[0], p.axes[1]); }) == id);
  CHECK(id_with({{"A", "1"}, {"B", "2"}}) == id_with({{"B", "2"}, {"A", "1"}}));
  // One part of a context is no context parallelism.
  CHECK(id_after([](Point& p) { p.layout.cp = 1; }) ==
        id_after([](Point& p) { p.layout.cp.reset(); }));
  CHECK(id_after([](Point& p) { p.axes[1].second = value_of(std::string("None")); }) != id);
}

TEST_CASE("ids of many points are those of each alone") {
  const Environment env{{"B", "2"}, {"A", "1"}};
  std::vector<Point> points(6, full_point());
  points[1].axes = {{"a", value_of(1.0)}, {"zz", value_of(std::string("b"))}};
  points[2].axes.clear();
  points[3].model = {};
  points[4].axes = {{"zz", value_of(std::string("b"))}, {"a", value_of(1.0)}};
  points[5].layout.cp = 1;
  PointIds ids(env);
  for (int twice = 0; twice < 2; ++twice) {
    for (const auto& point : points) CHECK(ids.id_of(point) == point_id(point, env));
  }
  CHECK(ids.id_of(points[1]) == ids.id_of(points[4]));
}

TEST_CASE("a part that looks like two is one") {
  const auto id_of = [](const NamedValues& axes) {
    Point point;
    point.axes = axes;
    return point_id(point);
  };
  const Value x{"x", {}};
  CHECK(id_of({{"a", x}, {"b", x}}) != id_of({{"a", Value{"x;1:b2:sx", {}}}}));
  CHECK(id_of({{"ab", x}}) != id_of({{"a", Value{"bx", {}}}}));
  CHECK(id_of({{"a", Value{"1", {}}}}) != id_of({{"a", value_of(1.0)}}));
}

TEST_CASE("a name says size, layout and axes, and leaves out what is not known") {
  Point point = full_point();
  CHECK(point_name(point) == "52b-tp21-pp22-dp23-cp24-mbs25-gas26-zero1-offloadnone");
  point.layout.cp = 1;
  point.axes.clear();
  CHECK(point_name(point) == "52b-tp21-pp22-dp23-mbs25-gas26");
  point.layout.cp = 2;
  CHECK(point_name(point) == "52b-tp21-pp22-dp23-cp2-mbs25-gas26");
  point.layout = {};
  point.model.size.clear();
  CHECK(point_name(point) == "l11-h12");
  point.model.hidden.reset();
  point.model.params = 51'970'064'384;
  CHECK(point_name(point) == "52b");
  point.model.layers.reset();
  point.model.hidden = 4;
  CHECK(point_name(point) == "52b");
  point.model.params.reset();
  CHECK(point_name(point) == "model");
}
