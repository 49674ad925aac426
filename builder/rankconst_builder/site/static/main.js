// What runs on which page.

import { startCalculator } from "./calculator.js";
import { startDataset, startList } from "./explorer.js";

if (document.getElementById("calculator")) startCalculator();
if (document.getElementById("list")) startList();
if (document.getElementById("constants")) startDataset();
