"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 420, TOP = 22, BOTTOM = 8, LEFT = 82, BOX = 14, LABEL = 160;
const WIDE = Math.min(1180, innerWidth - 60);
const LEAST_STEP = innerWidth < 760 ? 140 : 190;
const columns = 1 + Math.max(0, ...data.boxes.map(box => box.column));
const STEP = Math.min(360, Math.max(LEAST_STEP, (WIDE - LEFT - LABEL) / Math.max(columns - 1, 1)));
const x = box => LEFT + box.column * STEP;
const y = share => TOP + share * (HEIGHT - TOP - BOTTOM);
const bandHeight = box => (box.bottom - box.top) / (data.decades + 1);
const height = (box, rank) => rank === null
  ? box.top + (data.decades + .5) * bandHeight(box) : box.top + Math.log10(rank) * bandHeight(box);

function add(parent, name, attributes, text) {
  const element = parent.namespaceURI === SVG || name === "svg"
    ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function drawFrame(svg) {
  const width = LEFT + (columns - 1) * STEP + LABEL;
  svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  svg.setAttribute("width", width);
  for (const box of data.boxes) {
    const label = add(svg, "text", {x: x(box), y: y(box.top) - 6}, box.label);
    add(label, "title", {}, box.name);
  }
}

// a box for each stage, with equal bands of ranks
function drawRankedBoxes(svg) {
  drawFrame(svg);
  for (const box of data.boxes) {
    const top = y(box.top), bottom = y(box.bottom);
    add(svg, "rect", {class: "box", x: x(box), y: top, width: BOX, height: bottom - top, rx: 2});
    for (let band = 1; band <= data.decades; band++) {
      const at = y(box.top + band * bandHeight(box));
      add(svg, "line", {class: "grid", x1: x(box) - 5, x2: x(box) + BOX + 5, y1: at, y2: at});
    }
    if (box.column === 0) data.bands.forEach((band, number) => add(svg, "text", {
      class: "axis", x: x(box) - 8, y: y(box.top + (number + .5) * bandHeight(box)) + 4, "text-anchor": "end",
    }, band));
  }
}

// for each stage its bands, as high as their numbers of papers
function drawFilledBoxes(svg) {
  drawFrame(svg);
  for (const [box, top, bottom] of data.filled) add(svg, "rect", {
    class: "box", x: x(data.boxes[box]), y: y(top), width: BOX, height: Math.max(y(bottom) - y(top), 1),
  });
  for (const box of data.boxes) if (box.column === 0) add(svg, "text", {
    class: "axis", x: x(box) - 8, y: y((box.top + box.bottom) / 2) + 4, "text-anchor": "end",
  }, `${data.total} relevant`);
}

function writeBeside(svg, box, share, text) {
  add(svg, "text", {class: "count", x: x(box) + BOX + 4, y: y(share) + 4}, text);
}

function drawRibbons(svg, ribbons, isOfAll) {
  for (const [source, target, from, to, count, a, b, c, d] of ribbons) {
    const start = x(data.boxes[source]) + BOX, end = x(data.boxes[target]), middle = (start + end) / 2;
    const path = `M${start},${y(a)}C${middle},${y(a)} ${middle},${y(c)} ${end},${y(c)}L${end},${y(d)}`
      + `C${middle},${y(d)} ${middle},${y(b)} ${start},${y(b)}Z`;
    const isMissing = from === data.decades && to === data.decades;
    const kind = isOfAll || isMissing ? "all" : to > from ? "down" : "up";
    const ribbon = add(svg, "path", {class: `ribbon ${kind}`, d: path});
    add(ribbon, "title", {}, `${count}: ${data.bands[from]} → ${data.bands[to]}`);
  }
}

function drawLine(svg, [docno, title, grade, ranks]) {
  let path = "";
  data.boxes.forEach((box, target) => {
    if (ranks[target] !== null && !box.sources.length) path += `M${x(box)},${y(height(box, ranks[target]))}h${BOX}`;
    for (const source of box.sources) {
      const isUnknown = ranks[source] === null && (box.sources.length > 1 || ranks[target] === null);
      if (isUnknown) continue;
      const before = data.boxes[source], start = x(before) + BOX, end = x(box), middle = (start + end) / 2;
      const from = y(height(before, ranks[source])), to = y(height(box, ranks[target]));
      path += `M${start},${from}C${middle},${from} ${middle},${to} ${end},${to}` + (ranks[target] === null ? "" : `h${BOX}`);
    }
  });
  const isRelevant = grade !== null && grade >= data.relevant;
  const isLost = ranks[ranks.length - 1] === null;
  const line = add(svg, "path", {class: `line${isRelevant ? " relevant" : ""}${isLost ? " lost" : ""}`, d: path});
  add(line, "title", {}, title || docno);
  return line;
}

function addTable(parent, headings, rows, label) {
  const scroll = add(parent, "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": label});
  const table = add(scroll, "table", {class: "rows"});
  const head = add(add(table, "thead"), "tr");
  headings.forEach((heading, number) => add(head, "th", {scope: "col", class: number ? "figure name" : ""}, heading));
  const body = add(table, "tbody");
  return rows.map(cells => {
    const row = add(body, "tr");
    cells.forEach((cell, number) => add(row, number ? "td" : "th", number ? {class: "figure"} : {scope: "row"}, cell));
    return row;
  });
}

const shown = value => value === null ? "–" : typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : String(value);

function showQuery(cell, qid) {
  const query = data.queries[qid], names = data.boxes.map(box => box.label.replace(" ", "\u00a0"));
  const inner = add(cell, "div", {class: "inner"});
  const scroll = add(inner, "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": `Flow of the papers of ${qid}`});
  const svg = add(scroll, "svg", {class: "flow", role: "img", "aria-label": `Ranks of the papers of query ${qid} through the stages; the table below has them as numbers`});
  drawRankedBoxes(svg);
  drawRibbons(svg, query.ribbons, true);
  const ordered = [...query.papers].reverse();
  const lines = new Map(ordered.map(paper => [paper, drawLine(svg, paper)]));
  for (const [position, band, text] of query.counts) {
    const box = data.boxes[position];
    writeBeside(svg, box, box.top + (band + .5) * bandHeight(box), text);
  }
  add(inner, "p", {class: "note"}, "The height is the rank, on a logarithmic axis. Numbers are the relevant of all papers in a range of ranks. Lines are relevant papers (blue; dashed if lost) and the first of the last stage (grey). Grey bands are all papers; they are as high as a range allows, so two ranges cannot be compared by height. Choose a paper to follow it.");
  add(inner, "h3", {}, "Measures");
  addTable(inner, ["Measure", ...names], data.measures.map((measure, number) =>
    [measure, ...query.values[number].map(value => value === null ? "–" : value.toFixed(3))]), "Measures");
  add(inner, "h3", {}, "Ranks");
  const rows = addTable(inner, ["Paper", "Grade", ...names], query.papers.map(([, , grade, ranks]) =>
    ["", grade === null ? "unjudged" : grade, ...ranks.map(shown)]), "Ranks");
  rows.forEach((row, number) => {
    const paper = query.papers[number], line = lines.get(paper);
    const button = add(row.firstChild, "button", {type: "button", "aria-pressed": "false"}, paper[0]);
    if (paper[1]) add(row.firstChild, "span", {class: "aside"}, paper[1]);
    button.addEventListener("click", () => {
      const isOn = line.classList.toggle("on");
      button.setAttribute("aria-pressed", isOn);
      svg.classList.toggle("chosen", svg.querySelector(".on") !== null);
    });
  });
  if (query.more) add(inner, "p", {class: "note"}, `${query.more} more relevant or first papers are in the frame papers.`);
  if (query.lost.length) {
    add(inner, "h3", {}, "Relevant papers that a stage left out");
    addTable(inner, ["Paper", "Stage", "Rank before", "Why", "In the result"], query.lost.map(([docno, stage, rank, why, isIn]) =>
      [docno, stage || "none", shown(rank), why, isIn ? "yes, otherwise" : "no"]), "Lost papers");
  }
}

function toggle(button) {
  const row = button.closest("tr"), isOpen = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", !isOpen);
  if (isOpen) { row.nextElementSibling.remove(); return; }
  const detail = document.createElement("tr");
  detail.className = "detail";
  const cell = add(detail, "td", {colspan: row.children.length});
  row.after(detail);
  showQuery(cell, button.dataset.qid);
  history.replaceState(null, "", "#query=" + encodeURIComponent(button.dataset.qid));
}

const overview = document.getElementById("flow");
drawFilledBoxes(overview);
drawRibbons(overview, data.ribbons, false);
for (const [box, top, bottom, text] of data.filled) writeBeside(overview, data.boxes[box], (top + bottom) / 2, text);
const buttons = [...document.querySelectorAll("#queries button[data-qid]")];
document.getElementById("queries").addEventListener("click", event => {
  const button = event.target.closest("button[data-qid]");
  if (button) toggle(button);
});
document.addEventListener("keydown", event => {
  if (event.key !== "Escape") return;
  for (const button of buttons) if (button.getAttribute("aria-expanded") === "true") { toggle(button); button.focus(); }
});
function openLinked() {
  const [, qid] = location.hash.match(/^#query=(.*)$/) || [];
  const button = qid && buttons.find(one => one.dataset.qid === decodeURIComponent(qid));
  if (!button) return;
  if (button.getAttribute("aria-expanded") !== "true") toggle(button);
  button.scrollIntoView();
}
addEventListener("hashchange", openLinked);
openLinked();
