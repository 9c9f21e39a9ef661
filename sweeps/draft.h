// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/records/sweep.h"
#include "sweeps/axes.h"
#include "sweeps/expression.h"
#include "sweeps/probes.h"

namespace pippin {

/// An expression of a sweep file and where it stands.
struct Formula {
  std::string name;  ///< what it derives; "where" of a clause
  Expression expression;
  YamlNode place;
};

/// A {name} in a text that runs a point.
struct TemplateUse {
  std::string name;
  std::string what;  ///< "command", "env: FOO"
  YamlNode place;
};

/// What a sweep file says of its points, read and checked but not yet worked out.
struct Draft {
  Axes axes;
  NamedValues model;          ///< `model:`, below every axis
  std::optional<Value> gpus;  ///< the key of the sweep itself
  std::vector<Formula> derive, where;
  std::vector<TemplateUse> uses;
  std::optional<Probe> probe;
  YamlNode root;

  /// Whether the file says what `name` is for some point at least, but by `derive`.
  bool gives(const std::string& name) const;
  bool derives(const std::string& name) const;
  /// Axes that are no key of layout or model, then derived names that are none.
  std::vector<std::string> own_axes() const;
};

}  // namespace pippin
