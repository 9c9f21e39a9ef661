// SPDX-License-Identifier: Apache-2.0
// Every plot: a function of (page, width, choices) to {svg, points, words, legend_rows, has_others, legend_marks}.
import {plot_axis} from "./axis.js";
import {plot_budget} from "./budget.js";
import {plot_links} from "./links.js";
import {plot_nodes} from "./nodes.js";
import {plot_phases} from "./phases.js";
import {plot_ratios} from "./ratios.js";
import {plot_runs} from "./runs.js";
import {plot_scaling} from "./scaling.js";
import {plot_series} from "./series.js";
import {plot_stacks} from "./stacks.js";

export const kPlots = {
  runs: plot_runs,
  scaling: plot_scaling,
  axis: plot_axis,
  budget: plot_budget,
  nodes: plot_nodes,
  links: plot_links,
  ratios: plot_ratios,
  series: plot_series,
  phases: plot_phases,
  stacks: plot_stacks,
};
