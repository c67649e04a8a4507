"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const FIRST = 20; // papers of a ranking before "Show all"
  const MISSED = 100; // rows of missed papers at a time
  const MOST_SHARES = 15; // gains and losses in the table
  const WIDEST_BAR = 48; // pixels of the chart
  const LABEL_HEIGHT = 14; // pixels of the chart, of a label at the axis
  const STUB = 16; // pixels of a line that leads to no place on the page
  const LONGEST_TEXT = 120; // characters of a query's text in the table
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const baseline = data.names.length - 1;
  const numberOfQuery = new Map(data.queries.map((query, number) => [query.id, number]));
  const numberOfDoc = new Map(data.docs.map(([docno], number) => [docno, number]));
  let pairNumber = 0;
  let missedShown = MISSED;
  let everything = false;
  // unknown: a paper's id in the address that is not on the page
  const open = { view: "overview", query: null, paper: null, unknown: null };

  // --- small helpers

  function make(tag, settings = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(settings)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  function draw(tag, settings) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(settings)) node.setAttribute(name, value);
    return node;
  }

  const fixed = (value, digits = 4) =>
    value === null ? "–" : value.toFixed(digits).replace("-", "−");
  const signed = (value, digits = 4) =>
    value === null ? "–" : (value > 0 ? "+" : "") + fixed(value, digits);
  const place = (rank) => (rank === null ? "–" : String(rank));
  const pair = () => data.pairs[pairNumber];
  const systemColumn = () => data.names.indexOf(pair().name);
  const nameOf = (doc) => data.docs[doc][1] || data.docs[doc][0];
  const colour = (group) => `g${Math.max(0, data.groups.indexOf(group)) % 6}`;
  const queryLink = (number) => `#query/${encodeURIComponent(data.queries[number].id)}`;
  const paperLink = (number, doc) =>
    `${queryLink(number)}/paper/${encodeURIComponent(data.docs[doc][0])}`;

  function shorten(text) {
    if (text.length <= LONGEST_TEXT) return text;
    return `${text.slice(0, text.lastIndexOf(" ", LONGEST_TEXT))} …`;
  }

  function difference(number) {
    const { values } = data.queries[number];
    const [own, base] = [values[systemColumn()], values[baseline]];
    return own === null || base === null ? null : own - base;
  }

  function badge(grade, relevant) {
    const kind = grade === null ? " unjudged" : relevant ? " relevant" : "";
    const words = grade === null ? "not judged" : `grade ${grade}${relevant ? ", relevant" : ""}`;
    const text = grade === null ? "?" : String(grade);
    return make("b", { class: `badge${kind}`, title: words, "aria-label": words }, text);
  }

  function shareText(share) {
    const kind = share > 0 ? "share gain" : share < 0 ? "share loss" : "share";
    return make("span", { class: kind }, share ? signed(share) : "");
  }

  const findExplanation = (number, doc) => pair().explanations.find((one) => one.query === number && one.doc === doc);
  const isExplained = (number, doc) => findExplanation(number, doc)?.isExplained ?? false;

  // what stands behind an explained paper, or a query that has one
  function stars(shown) {
    if (!shown) return [];
    const words = { class: "star", title: "explained on this page", role: "img", "aria-label": "explained" };
    return [" ", make("span", words, "✦")];
  }

  function headRow(...cells) {
    const row = make("tr");
    for (const [text, figure] of cells) {
      row.append(make("th", figure ? { scope: "col", class: "figure" } : { scope: "col" }, text));
    }
    return make("thead", {}, row);
  }

  const figure = (text) => make("td", { class: "figure" }, text);

  // --- overview

  function sorted(order) {
    const numbers = data.queries.map((_, number) => number)
      .filter((number) => difference(number) !== null);
    const both = (number) => [systemColumn(), baseline].map((n) => data.queries[number].values[n]);
    const keys = {
      down: (n) => -difference(n), up: (n) => difference(n), size: (n) => -Math.abs(difference(n)),
      hard: (n) => Math.max(...both(n)), easy: (n) => -Math.min(...both(n)),
      unlike: (n) => pair().overlaps[n],
    };
    return numbers.sort((a, b) => keys[order](a) - keys[order](b));
  }

  function drawBars() {
    const [width, left] = [Math.max(280, find("bars").clientWidth), 46];
    // as high as the scatter where that stands beside it
    const scatter = find("scatter").getBoundingClientRect();
    const isBeside = scatter.left > find("bars").getBoundingClientRect().left + 20;
    const height = isBeside ? Math.max(280, scatter.bottom - find("bars").getBoundingClientRect().top) : 340;
    const byGroup = find("bars-order")?.value === "group";
    const groupOf = (number) => data.groups.indexOf(data.queries[number].group);
    const numbers = sorted("down");
    if (byGroup) numbers.sort((a, b) => groupOf(a) - groupOf(b));
    const differences = numbers.map(difference);
    const top = Math.max(0, ...differences) || 0.1;
    const bottom = Math.min(0, ...differences);
    const y = (value) => 10 + (height - 20) * (top - value) / (top - bottom);
    const step = Math.min(WIDEST_BAR, (width - left) / Math.max(1, numbers.length));
    const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": "c-bars" });
    // an end of the axis that is too near to 0 has no label, which would overlap
    const ends = [top, bottom].filter((value) => Math.abs(y(value) - y(0)) > LABEL_HEIGHT);
    for (const value of [0, ...ends]) {
      picture.append(draw("line", { class: "axis", x1: left, x2: width, y1: y(value), y2: y(value) }));
      const text = draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" });
      text.textContent = value === 0 ? "0" : signed(value, 2);
      picture.append(text);
    }
    numbers.forEach((number, position) => {
      const value = differences[position];
      const { group, id } = data.queries[number];
      const bar = draw("rect", {
        class: `mark ${colour(group)}`, x: left + position * step, width: Math.max(0.6, step * 0.85),
        y: Math.min(y(0), y(value)), height: Math.max(1, Math.abs(y(value) - y(0))), "data-query": number,
      });
      const title = draw("title", {});
      title.textContent = `${id}: ${signed(value)}`;
      bar.append(title);
      picture.append(bar);
    });
    find("bars").replaceChildren(picture);
  }

  function drawScatter() {
    const [size, edge] = [340, 36];
    const numbers = sorted("down");
    const most = Math.max(1e-9, ...data.queries.flatMap((query) => query.values.filter((value) => value !== null)));
    const limit = most > 0.5 ? 1 : most;
    const at = (value) => edge + (size - edge - 8) * value / limit;
    const picture = draw("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-labelledby": "c-scatter" });
    picture.append(draw("line", { class: "axis", x1: at(0), y1: size - at(0), x2: at(limit), y2: size - at(limit) }));
    picture.append(draw("path", { class: "axis", fill: "none", d: `M${at(0)} ${size - at(limit)}V${size - at(0)}H${at(limit)}` }));
    for (const value of [0, limit / 2, limit]) {
      const across = draw("text", { x: at(value), y: size - at(0) + 16, "text-anchor": "middle" });
      const up = draw("text", { x: at(0) - 6, y: size - at(value) + 4, "text-anchor": "end" });
      across.textContent = up.textContent = fixed(value, 2);
      picture.append(across, up);
    }
    for (const number of numbers) {
      const { values, group, id } = data.queries[number];
      const point = draw("circle", {
        class: `mark ${colour(group)}`, cx: at(values[baseline]), cy: size - at(values[systemColumn()]), r: 4.5,
        "data-query": number,
      });
      const title = draw("title", {});
      title.textContent = `${id}: ${fixed(values[systemColumn()])} against ${fixed(values[baseline])}`;
      point.append(title);
      picture.append(point);
    }
    find("scatter").replaceChildren(picture);
  }

  function showOverview() {
    drawScatter();
    drawBars(); // as high as the scatter
    find("legend").replaceChildren(...data.groups.map((group) =>
      make("li", { class: colour(group) }, make("i", { class: "swatch" }), group)));
  }

  // --- queries

  function showQueries() {
    const words = find("find").value.trim().toLowerCase();
    const group = find("group")?.value || "";
    const numbers = sorted(find("order").value).filter((number) => {
      const query = data.queries[number];
      const fits = !words || `${query.id} ${query.text}`.toLowerCase().includes(words);
      return fits && (!group || query.group === group);
    });
    const body = make("tbody");
    for (const number of numbers) {
      const query = data.queries[number];
      const value = difference(number);
      const link = make("a", { href: queryLink(number) }, query.id);
      const hasExplained = pair().explanations.some((one) => one.query === number && one.isExplained);
      const row = make("tr", {}, make("th", { scope: "row" }, link, ...stars(hasExplained)));
      if (data.groups.length) row.append(make("td", {}, query.group));
      row.append(
        figure(fixed(query.values[systemColumn()])), figure(fixed(query.values[baseline])),
        make("td", { class: `figure ${value > 0 ? "gain" : value < 0 ? "loss" : ""}` }, signed(value)),
        figure(String(query.relevant)), figure(fixed(pair().overlaps[number], 2)), make("td", { class: "long" }, shorten(query.text)),
      );
      body.append(row);
    }
    const heads = [["Query"], ...(data.groups.length ? [["Group"]] : []), [pair().name, 1],
      [data.names[baseline], 1], ["Difference", 1], ["Relevant", 1], ["Overlap", 1], ["Text"]];
    find("query-table").replaceChildren(make("caption", { class: "hidden" }, "Queries"), headRow(...heads), body);
    find("status").textContent = `${numbers.length} queries`;
  }

  // --- one query

  const rowsOf = (number) => pair().rows[number].map(([doc, grade, relevant, rank, base, share]) =>
    ({ doc, grade, relevant, rank, base, share }));

  function placeButton(row, rank, isSystem) {
    const button = make("button", {
      type: "button", class: "place", "data-doc": row.doc, "aria-pressed": String(open.paper === row.doc),
      title: data.docs[row.doc].join(" ").trim(),
    });
    const other = isSystem ? row.base : row.rank;
    const where = other === null ? "not ranked" : other === rank ? "same" : String(other);
    const name = make("span", { class: "name" }, nameOf(row.doc));
    if (isExplained(open.query, row.doc)) name.prepend(...stars(true).reverse());
    button.append(make("span", { class: "rank" }, String(rank)), name, badge(row.grade, row.relevant),
      make("span", { class: "other" }, isSystem ? `← ${where}` : `${where} →`));
    if (isSystem) button.append(shareText(row.share));
    return button;
  }

  function fillRanking(list, rows, field, isSystem) {
    const ranked = rows.filter((row) => row[field] !== null).sort((a, b) => a[field] - b[field]);
    const shown = ranked.filter((row) =>
      everything || row[field] <= FIRST || row.doc === open.paper);
    list.replaceChildren(...shown.map((row) => make("li", {}, placeButton(row, row[field], isSystem))));
    return ranked.length > shown.length;
  }

  function drawLines(rows) {
    const picture = find("lines");
    const frame = picture.getBoundingClientRect();
    const middle = (list, doc) => {
      const button = list.querySelector(`[data-doc="${doc}"]`);
      if (!button) return null;
      const box = button.getBoundingClientRect();
      return box.top + box.height / 2 - frame.top;
    };
    picture.replaceChildren();
    let [onBoth, onOne] = [0, 0];
    for (const row of rows) {
      const [from, to] = [middle(find("left"), row.doc), middle(find("right"), row.doc)];
      if (from === null && to === null) continue;
      const [rank, base] = [row.rank ?? Infinity, row.base ?? Infinity];
      const kind = [rank < base ? "up" : rank > base ? "down" : "",
        row.relevant ? "relevant" : "", open.paper !== null && open.paper !== row.doc ? "off" : ""];
      let path;
      if (from !== null && to !== null) {
        onBoth += 1;
        path = `M2 ${from}C${frame.width / 2} ${from} ${frame.width / 2} ${to} ${frame.width - 2} ${to}`;
      } else {
        onOne += 1;
        kind.push("stub");
        path = from !== null ? `M2 ${from}h${STUB}` : `M${frame.width - 2} ${to}h${-STUB}`;
      }
      picture.append(draw("path", { class: kind.join(" "), d: path }));
    }
    const others = onOne ? ` A dotted end has no line: the other system ranks that paper below what is shown, or not at all (${onOne}).` : "";
    find("common").textContent = `Papers that stand in both columns: ${onBoth}.${others}`;
  }

  function shareTable(rows) {
    const table = find("share-table");
    const moved = rows.filter((row) => row.share).sort((a, b) => Math.abs(b.share) - Math.abs(a.share));
    const body = make("tbody");
    for (const row of moved.slice(0, MOST_SHARES)) {
      const link = make("a", { href: paperLink(open.query, row.doc) }, nameOf(row.doc));
      body.append(make("tr", {}, make("th", { scope: "row", class: "long" }, link, ...stars(isExplained(open.query, row.doc))), make("td", {}, badge(row.grade, row.relevant)),
        figure(place(row.rank)), figure(place(row.base)), make("td", { class: "figure" }, shareText(row.share))));
    }
    const rest = moved.slice(MOST_SHARES);
    if (rest.length) {
      const sum = rest.reduce((total, row) => total + row.share, 0);
      body.append(make("tr", {}, make("th", { scope: "row" }, `${rest.length} more papers`), make("td"), make("td"), make("td"), figure(signed(sum))));
    }
    const total = moved.reduce((sum, row) => sum + row.share, 0);
    if (moved.length) {
      body.append(make("tr", {}, make("th", { scope: "row" }, "Difference"), make("td"), make("td"), make("td"), figure(signed(total))));
    }
    find("no-shares").hidden = moved.length > 0 || rows.some((row) => row.share === null);
    table.replaceChildren(...(moved.length
      ? [headRow(["Paper"], ["Grade"], [pair().name, 1], [data.names[baseline], 1], ["Share", 1]), body] : []));
  }

  function showQuery() {
    const number = open.query;
    const query = data.queries[number];
    const value = difference(number);
    const order = sorted("down");
    const position = order.indexOf(number);
    for (const [id, neighbour] of [["previous", order[position - 1]], ["next", order[position + 1]]]) {
      const link = find(id);
      if (neighbour === undefined || position < 0) link.removeAttribute("href");
      else link.href = queryLink(neighbour);
    }
    find("h-query").textContent = `Query ${query.id}${query.group ? `, ${query.group}` : ""}: ${signed(value)}`;
    find("query-text").textContent = query.text;
    find("said").textContent = pair().sentences[number];
    find("h-left").textContent = `${pair().name}: ${fixed(query.values[systemColumn()])}`;
    find("h-right").textContent = `${data.names[baseline]}: ${fixed(query.values[baseline])}`;
    const rows = rowsOf(number);
    const left = fillRanking(find("left"), rows, "rank", true);
    const right = fillRanking(find("right"), rows, "base", false);
    find("more").hidden = !(left || right);
    markPaper();
    drawLines(rows);
    shareTable(rows);
    showPaper(rows);
  }

  function markPaper() {
    for (const button of document.querySelectorAll(".place")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.doc) === open.paper));
    }
  }

  // --- one paper

  function explained(system) {
    const box = make("div", {}, make("h4", {}, system.name));
    if (system.parts.length) {
      const body = make("tbody");
      for (const [name, value, meaning] of system.parts) {
        const head = make("th", { scope: "row", class: "part" }, name);
        if (meaning) head.append(make("small", {}, meaning));
        body.append(make("tr", {}, head, figure(signed(value))));
      }
      box.append(make("table", { class: "rows" }, headRow(["Part of the score"], ["Adds", 1]), body));
    } else if (system.words.length) {
      const body = make("tbody");
      for (const [word, value] of system.words) {
        body.append(make("tr", {}, make("th", { scope: "row" }, word), figure(signed(value))));
      }
      box.append(make("table", { class: "rows" }, headRow(["Word that query and paper share"], ["Adds", 1]), body));
    } else if (system.reason) {
      box.append(make("p", { class: "note" }, system.reason));
    }
    if (system.pairs.length) {
      box.append(make("h4", {}, system.byEncoder ? "Sentences that the encoder matches best" : "Sentences that add most"));
      for (const [query, paper, value] of system.pairs) {
        box.append(make("blockquote", {}, make("b", {}, signed(value, 3)), ` ${query}`, make("br"), "→ ", paper));
      }
    }
    return box;
  }

  function showPaper(rows) {
    const box = find("paper");
    box.hidden = open.paper === null && open.unknown === null;
    if (box.hidden) return;
    if (open.unknown !== null) {
      box.replaceChildren(make("h3", { tabindex: "-1" }, open.unknown), make("p", {}, "This paper is not on this page."));
      return;
    }
    const row = rows.find((one) => one.doc === open.paper);
    const [docno, title] = data.docs[open.paper];
    const parts = [make("h3", { tabindex: "-1" }, title || docno)];
    if (!row) {
      parts.push(make("p", {}, `Paper ${docno} is not among the papers of this query on this page.`));
      box.replaceChildren(...parts);
      return;
    }
    parts.push(make("p", {}, badge(row.grade, row.relevant), ` ${docno}: rank ${place(row.rank)} by ${pair().name}, `
      + `${place(row.base)} by ${data.names[baseline]}`
      + (row.share === null ? "." : `; its share of the difference is ${signed(row.share)}.`)));
    const words = pair().words[open.query][open.paper];
    if (words) parts.push(make("p", {}, words.length ? `Words that query and paper share: ${words.join(", ")}.` : "Query and paper share no word."));
    const entry = findExplanation(open.query, open.paper);
    if (entry) parts.push(make("div", { class: "both" }, ...entry.systems.map(explained)));
    else if (!data.hasShares) parts.push(make("p", { class: "note" }, "No scores are explained for a measure without shares."));
    else {
      parts.push(make("p", { class: "note" }, "Its scores are not explained on this page; those of papers marked ✦ are. More are with a larger ",
        make("code", {}, "to_html(path, explained=…)"), ", in a shell ", make("code", {}, "--explained"), "."));
    }
    box.replaceChildren(...parts);
  }

  // --- missed papers

  function showMissed() {
    const choice = find("missed-by");
    const kinds = [...new Set(data.missed.map((row) => row[4]))];
    if (!choice.options.length) {
      for (const kind of ["", ...kinds]) {
        const count = kind ? data.missed.filter((row) => row[4] === kind).length : data.missed.length;
        const words = { "": "any", all: "all systems" }[kind] || `${kind} alone`;
        choice.append(make("option", { value: kind }, `${words} (${count})`));
      }
    }
    const rows = data.missed.filter((row) => !choice.value || row[4] === choice.value);
    const tagged = data.missed.some((row) => row[5]);
    const body = make("tbody");
    for (const [number, doc, grade, ranks, , error] of rows.slice(0, missedShown)) {
      body.append(make("tr", {},
        make("th", { scope: "row" }, make("a", { href: queryLink(number) }, data.queries[number].id)),
        make("td", { class: "long" }, make("a", { href: paperLink(number, doc) }, nameOf(doc))),
        make("td", {}, badge(grade, true)), ...ranks.map((rank) => figure(place(rank))),
        ...(tagged ? [make("td", {}, error)] : [])));
    }
    const heads = [["Query"], ["Paper"], ["Grade"], ...data.names.map((name) => [name, 1]), ...(tagged ? [["Error"]] : [])];
    find("missed-table").replaceChildren(make("caption", { class: "hidden" }, "Missed papers"), headRow(...heads), body);
    find("missed-more").hidden = rows.length <= missedShown;
  }

  // --- which view is open

  const SHOW = { overview: showOverview, queries: showQueries, query: showQuery, missed: showMissed, parts: () => {} };

  function read(fragment) {
    const [view, query, ...rest] = fragment.replace(/^#/, "").split("/").map(decodeURIComponent);
    const number = numberOfQuery.get(query);
    if (view === "query" && number !== undefined) {
      // both …/paper/<docno> and …/<docno>
      const docno = rest.length > 1 && rest[0] === "paper" ? rest[1] : rest[0];
      const doc = numberOfDoc.get(docno);
      return { view, query: number, paper: doc ?? null, unknown: docno && doc === undefined ? docno : null };
    }
    return { view: view in SHOW && view !== "query" ? view : "overview", query: null, paper: null, unknown: null };
  }

  function show(fragment, moveFocus) {
    const next = read(fragment);
    if (next.query !== open.query) everything = false;
    const paperOnly = next.view === open.view && next.query === open.query;
    Object.assign(open, next);
    for (const view of document.querySelectorAll(".view")) view.hidden = view.id !== open.view;
    for (const link of document.querySelectorAll("nav a")) {
      const current = link.hash === `#${open.view === "query" ? "queries" : open.view}`;
      if (current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    SHOW[open.view]();
    if (!moveFocus) return;
    const heading = open.paper !== null || open.unknown !== null ? document.querySelector("#paper h3") : find(`h-${open.view}`);
    if (!paperOnly || open.paper !== null) heading?.focus({ preventScroll: paperOnly && open.paper === null });
    find("status").textContent = open.paper !== null ? `Paper ${nameOf(open.paper)}` : heading?.textContent || "";
  }

  // In a notebook's frame an address cannot change, so views are opened without one.
  const framed = location.protocol === "about:";
  let current = location.hash;
  function go(fragment) {
    if (!framed && location.hash !== fragment) location.hash = fragment;
    else show(fragment, true);
    current = fragment;
  }

  addEventListener("hashchange", () => {
    current = location.hash;
    show(current, true);
  });
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("[data-query]");
    const button = event.target.closest?.(".place");
    const link = event.target.closest?.('a[href^="#"]');
    if (mark) go(queryLink(Number(mark.dataset.query)));
    else if (button) {
      const doc = Number(button.dataset.doc);
      go(doc === open.paper ? queryLink(open.query) : paperLink(open.query, doc));
    } else if (link) {
      event.preventDefault();
      go(link.getAttribute("href"));
    }
  });
  document.addEventListener("keydown", (event) => {
    if (open.view !== "query" || event.target.matches?.("input, select")) return;
    if (event.key === "Escape" && !find("paper").hidden) go(queryLink(open.query));
    const link = { ArrowLeft: "previous", ArrowRight: "next" }[event.key];
    if (link && find(link).hasAttribute("href")) go(find(link).getAttribute("href"));
  });
  find("bars-order")?.addEventListener("input", drawBars);
  for (const id of ["find", "group", "order"]) find(id)?.addEventListener("input", showQueries);
  find("missed-by").addEventListener("input", () => { missedShown = MISSED; showMissed(); });
  find("missed-more").addEventListener("click", () => { missedShown += MISSED; showMissed(); });
  find("more").addEventListener("click", () => { everything = true; showQuery(); });
  find("pair")?.addEventListener("input", (event) => { pairNumber = Number(event.target.value); show(current, false); });
  addEventListener("resize", () => {
    if (open.view === "query") drawLines(rowsOf(open.query));
    if (open.view === "overview") drawBars();
  });
  show(current, false);
})();
