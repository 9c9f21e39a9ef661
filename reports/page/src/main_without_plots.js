// SPDX-License-Identifier: Apache-2.0
// The page of machines without npm: the same without plots.
import {show_page} from "./page.js";

show_page(null);
