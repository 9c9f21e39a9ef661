// SPDX-License-Identifier: Apache-2.0
// The page with plots.
import {show_page} from "./page.js";
import {kPlots} from "./plots/all.js";

show_page(kPlots);
