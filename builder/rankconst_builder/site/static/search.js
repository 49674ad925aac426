// The list of datasets: what is found stays, and is marked in the drawing above it.

import { at } from "./dom.js";
import { squash } from "./names.js";

const search = /** @type {HTMLInputElement} */ (at("search"));
const rows = /** @type {HTMLTableRowElement[]} */ ([...document.querySelectorAll("#list tbody tr")]);
const dots = /** @type {SVGElement[]} */ ([...document.querySelectorAll("svg [data-key]")]);

search.addEventListener("input", () => {
  const words = squash(search.value);
  for (const row of rows) row.hidden = !squash(`${row.dataset.words}`).includes(words);
  const keys = new Set(rows.filter((row) => !row.hidden).map((row) => row.dataset.key));
  for (const dot of dots) dot.classList.toggle("dim", !keys.has(dot.dataset.key));
  at("found").textContent = `${keys.size} of ${rows.length} datasets`;
});
