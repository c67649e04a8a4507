"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const THICKEST = 22; // pixels of the strongest ribbon
  const pairs = JSON.parse(document.getElementById("data").textContent)
    .map(([query, document, strength]) => ({ query, document, strength }));
  const texts = document.getElementById("texts");
  const picture = document.getElementById("ribbons");
  const group = picture.querySelector("g");
  const status = document.getElementById("status");
  const buttons = [...document.querySelectorAll("button.sentence")];
  const button = (side, number) =>
    buttons.find((one) => one.dataset.side === side && Number(one.dataset.number) === number);
  const other = { query: "document", document: "query" };
  const inside = (box, frame) => ({ top: box.top - frame.top, height: box.height });
  let chosen = null;

  // Where each ribbon of a sentence meets it: side by side, in the order of their other ends.
  function ends(side, thickness, frame) {
    const at = new Map();
    for (const number of new Set(pairs.map((pair) => pair[side]))) {
      const own = pairs.filter((pair) => pair[side] === number)
        .sort((a, b) => a[other[side]] - b[other[side]]);
      const box = inside(button(side, number).getBoundingClientRect(), frame);
      const total = own.reduce((sum, pair) => sum + thickness(pair), 0);
      let y = box.top + (box.height - total) / 2;
      for (const pair of own) {
        at.set(pair, y + thickness(pair) / 2);
        y += thickness(pair);
      }
    }
    return at;
  }

  // Thin enough for all ribbons of a sentence to fit beside it.
  function scale(frame) {
    let most = THICKEST;
    for (const side of ["query", "document"]) {
      for (const number of new Set(pairs.map((pair) => pair[side]))) {
        const total = pairs.filter((pair) => pair[side] === number)
          .reduce((sum, pair) => sum + pair.strength, 0);
        const box = inside(button(side, number).getBoundingClientRect(), frame);
        most = Math.min(most, 0.8 * box.height / total);
      }
    }
    return (pair) => Math.max(1.5, most * pair.strength);
  }

  function colour(one) {
    return getComputedStyle(one.closest("li")).getPropertyValue("--colour").trim();
  }

  function gradient(id, from, to, vertical) {
    const made = document.createElementNS(SVG, "linearGradient");
    const [start, end] = vertical ? [from.y, to.y] : [from.x, to.x];
    const axis = vertical ? ["y1", "y2", "x1", "x2"] : ["x1", "x2", "y1", "y2"];
    made.id = id;
    made.setAttribute("gradientUnits", "userSpaceOnUse");
    [start, end, 0, 0].forEach((value, n) => made.setAttribute(axis[n], value));
    [from, to].forEach((point, offset) => {
      const stop = document.createElementNS(SVG, "stop");
      stop.setAttribute("offset", offset);
      stop.setAttribute("stop-color", point.colour);
      made.append(stop);
    });
    return made;
  }

  function draw() {
    const frame = picture.getBoundingClientRect();
    const stacked = getComputedStyle(texts).gridTemplateColumns.split(" ").length === 2;
    const thickness = scale(frame);
    const [left, right] = [ends("query", thickness, frame), ends("document", thickness, frame)];
    const rise = (pair) => Math.abs(left.get(pair) - right.get(pair));
    const lanes = [...pairs].sort((a, b) => rise(a) - rise(b)); // the farther, the wider an arc
    group.replaceChildren();
    pairs.forEach((pair, n) => {
      const from = { x: stacked ? frame.width : 0, y: left.get(pair) };
      const to = { x: frame.width, y: right.get(pair) };
      from.colour = colour(button("query", pair.query));
      to.colour = colour(button("document", pair.document));
      const reach = (frame.width - 6) * (lanes.indexOf(pair) + 1) / lanes.length;
      const bend = stacked ? frame.width - reach * 4 / 3 : frame.width / 2;
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M${from.x} ${from.y}C${bend} ${from.y} ${bend} ${to.y} ${to.x} ${to.y}`);
      path.setAttribute("stroke-width", stacked ? Math.min(6, thickness(pair)) : thickness(pair));
      path.setAttribute("stroke", `url(#ribbon-${n})`);
      path.dataset.query = pair.query;
      path.dataset.document = pair.document;
      group.append(gradient(`ribbon-${n}`, from, to, stacked), path);
    });
    mark();
  }

  function mark() {
    const side = chosen?.dataset.side;
    const number = Number(chosen?.dataset.number);
    const own = chosen ? pairs.filter((pair) => pair[side] === number) : [];
    const partners = own.map((pair) => pair[other[side]]);
    for (const one of buttons) {
      const there = one.dataset.side === other[side] && partners.includes(Number(one.dataset.number));
      one.setAttribute("aria-pressed", String(one === chosen));
      one.classList.toggle("match", there);
    }
    for (const path of group.querySelectorAll("path")) {
      const mine = chosen && Number(path.dataset[side]) === number;
      path.classList.toggle("on", Boolean(mine));
      path.classList.toggle("off", Boolean(chosen && !mine));
    }
    for (const one of document.querySelectorAll(".heat [data-query], .heat [data-document], .pairs tr")) {
      one.classList.toggle("on", Boolean(chosen && Number(one.dataset[side]) === number));
    }
    status.textContent = chosen ? said(side, number, partners) : "";
  }

  function said(side, number, partners) {
    const name = { query: "Query", document: "Document" };
    if (!partners.length) return `${name[side]} sentence ${number} has no strong match.`;
    const them = `${other[side]} sentence${partners.length > 1 ? "s" : ""} ${partners.join(", ")}`;
    return `${name[side]} sentence ${number} is matched with ${them}.`;
  }

  function choose(one) {
    chosen = one === chosen ? null : one;
    mark();
  }

  buttons.forEach((one) => one.addEventListener("click", () => choose(one)));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") choose(null);
  });
  new ResizeObserver(draw).observe(texts);
  if (window.parent !== window) {  // a page that shows this one in a frame can fit its height
    const tell = () => window.parent.postMessage({ explanation_height: document.body.scrollHeight }, "*");
    new ResizeObserver(tell).observe(document.body);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
