// What the pages do beyond being read: keys, marking two runs, showing a claim's evidence, charts, copying. Nothing is built from text as markup.
"use strict";
(() => {
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const root = document.body.dataset.root || "";
  const say = (text) => { document.getElementById("said").textContent = text; };

  // ── the list: what the form asks for, without empty values, as one types ──
  const asked = document.getElementById("asked");
  let waiting;
  function address() {
    const values = new URLSearchParams();
    for (const [name, value] of new FormData(asked)) if (String(value).trim()) values.append(name, value);
    const text = values.toString();
    return `${root}/${text ? "?" + text : ""}`;
  }
  async function ask() {
    const where = address();
    await htmx.ajax("GET", where, { target: "#results", swap: "innerHTML" });
    history.replaceState(null, "", where);
    marks();
  }
  if (asked) {
    asked.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(waiting); ask(); });
    asked.addEventListener("change", (event) => { if (event.target.id !== "q") { clearTimeout(waiting); ask(); } });
    asked.querySelector("#q").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(ask, 250); });
  }

  // ── two runs to compare ──
  const marked = () => all(".run > input:checked");
  function marks() {
    const number = marked().length;
    for (const button of all("[data-compare]")) {
      button.disabled = number !== 2;
      button.textContent = number === 2 ? "Compare two marked runs" : number === 1 ? "Mark one more to compare" : "Mark two to compare";
    }
  }
  document.addEventListener("change", (event) => {
    if (!event.target.matches(".run > input")) return;
    const others = marked().filter((box) => box !== event.target);
    if (event.target.checked && others.length > 1) others[0].checked = false;
    marks();
  });

  // ── claims and their evidence ──
  function show(claim, { scroll }) {
    const card = document.getElementById(claim.dataset.card);
    if (!card) return;
    for (const other of all(".claim.active, .card.active")) other.classList.remove("active");
    claim.classList.add("active");
    card.classList.add("active");
    for (const open of all(":scope > .card > details[open]", card.parentElement)) if (open.parentElement !== card) open.open = false;
    card.querySelector("details").open = true;
    const panel = card.closest(".checked-cards");
    if (panel && panel.scrollHeight > panel.clientHeight) {
      panel.scrollTop += card.getBoundingClientRect().top - panel.getBoundingClientRect().top - 8;
    } else if (scroll) card.scrollIntoView({ block: "nearest" });
  }
  let hovering;
  document.addEventListener("pointerover", (event) => {
    const claim = event.target.closest?.(".claim");
    clearTimeout(hovering);
    if (claim && event.pointerType === "mouse") hovering = setTimeout(() => show(claim, { scroll: false }), 60);
  });
  document.addEventListener("focusin", (event) => { if (event.target.matches(".claim")) show(event.target, { scroll: false }); });
  document.addEventListener("click", (event) => {
    const claim = event.target.closest(".claim");
    if (claim && document.getElementById(claim.dataset.card)) { event.preventDefault(); show(claim, { scroll: true }); }
    const link = event.target.closest("a[href^='#']");
    const aim = link && !claim && document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (aim && aim.matches(".card")) aim.querySelector("details").open = true;
  });

  // ── copying ──
  async function copy(button) {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      const area = document.createElement("textarea");
      area.value = button.dataset.copy;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = "Copied";
    say("The answer was copied.");
    setTimeout(() => { button.textContent = "Copy the answer"; }, 1600);
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
    const opener = event.target.closest("[data-dialog]");
    if (opener) document.getElementById(opener.dataset.dialog).showModal();
  });

  // ── keys ──
  function step(by) {
    const places = all(".run-link").length ? all(".run-link") : all("#timeline .claim:not([tabindex])");
    if (!places.length) return;
    const at = places.indexOf(document.activeElement);
    const next = places[at < 0 ? (by > 0 ? 0 : places.length - 1) : Math.min(places.length - 1, Math.max(0, at + by))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    "/": () => document.getElementById("q")?.select(),
    x: () => document.activeElement.closest?.(".run")?.querySelector("input").click(),
    c: () => { const button = document.querySelector("[data-compare]:not(:disabled), [data-copy]"); button?.click(); },
    u: () => document.querySelector("[data-up]")?.click(),
    "?": () => document.getElementById("keys").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input:not([type=checkbox]), select, textarea, [contenteditable]");
    if (event.key === "Escape" && event.target.id === "q") { event.target.blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || typing || document.querySelector("dialog[open]")) return;
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  // ── charts: values from the page's attributes; the library's own style element is left out, because the page's policy allows none ──
  function put(place, chart, label) {
    for (const style of all("style", chart)) style.remove();
    for (const part of all("[aria-label]", chart)) part.removeAttribute("aria-label");
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", label);
    place.replaceChildren(chart);
  }
  function scores(place, rows) {
    const names = rows.map((row) => row.name);
    const values = rows.flatMap((row) => [row.retained, row.candidate, row.threshold ?? row.retained]);
    const low = Math.max(-1, Math.min(...values) - 0.05), high = Math.max(Math.min(1, Math.max(...values) + 0.05), low + 0.1);
    put(place, Plot.plot({
      width: Math.max(280, Math.min(640, place.clientWidth)), height: 34 + rows.length * 30, marginLeft: 110, marginRight: 16, marginTop: 6, marginBottom: 28,
      x: { domain: [low, high], ticks: 5, label: null, tickSize: 0 },
      y: { domain: names, label: null, tickSize: 0 },
      marks: [
        Plot.gridX({ className: "c-grid", ticks: 5, strokeOpacity: 1, stroke: null }),
        Plot.ruleY(rows, { y: "name", x1: "retained", x2: "candidate", className: "c-line", stroke: null, strokeWidth: 2 }),
        Plot.tickX(rows.filter((row) => row.threshold !== null), { x: "threshold", y: "name", className: "c-bar", stroke: null, insetTop: 4, insetBottom: 4 }),
        Plot.dot(rows, { x: "retained", y: "name", r: 5, className: "c-before", fill: null, stroke: null }),
        Plot.dot(rows.filter((row) => row.passes), { x: "candidate", y: "name", r: 5.5, className: "c-good", fill: null, stroke: null }),
        Plot.dot(rows.filter((row) => !row.passes), { x: "candidate", y: "name", r: 6.5, symbol: "diamond2", className: "c-bad", fill: null, stroke: null }),
      ],
    }), rows.map((row) => `${row.name}: from ${row.retained.toFixed(3)} to ${row.candidate.toFixed(3)}` + (row.threshold === null ? "" : `, at least ${row.threshold.toFixed(3)}`)).join("; "));
  }
  function waterfall(place, rows) {
    const end = Math.max(...rows.map((row) => row.end), 1e-9);
    const unit = end < 1 ? ["ms", 1000] : ["s", 1];
    const width = Math.max(280, Math.min(1080, place.clientWidth)), ticks = Math.max(2, Math.floor((width - 150) / 90));
    const bars = rows.map((row) => ({ ...row, label: `${row.number} ${row.name}`, from: row.begin * unit[1], to: Math.max(row.end, row.begin + end / 250) * unit[1] }));
    const marks = ["model", "tool", "failed"].map((kind) => Plot.barX(bars.filter((bar) => bar.kind === kind), { x1: "from", x2: "to", y: "label", className: `c-${kind}`, fill: null, rx: 2, insetTop: 3, insetBottom: 3 }));
    put(place, Plot.plot({
      width, height: 40 + rows.length * 18, marginLeft: 110, marginRight: 36, marginTop: 4, marginBottom: 30,
      x: { domain: [0, end * unit[1]], label: null, ticks, tickSize: 0, tickFormat: (value) => `${value} ${unit[0]}` },
      y: { domain: bars.map((bar) => bar.label), label: null, tickSize: 0 },
      marks: [Plot.gridX({ className: "c-grid", ticks, strokeOpacity: 1, stroke: null }), ...marks],
    }), `${rows.length} calls over ${end.toFixed(2)} seconds; the table below has each of them`);
  }
  function charts() {
    if (typeof Plot === "undefined") return;
    for (const place of all(".chart[data-rows]")) {
      const drawn = `${place.clientWidth}${place.dataset.rows}`;
      if (place.drawn === drawn && place.firstChild) continue;
      place.drawn = drawn;
      const rows = JSON.parse(place.dataset.rows);
      (place.dataset.chart === "scores" ? scores : waterfall)(place, rows);
    }
  }
  let resizing;
  window.addEventListener("resize", () => { clearTimeout(resizing); resizing = setTimeout(charts, 120); });

  function ready() {
    for (const button of all("button[hidden]")) button.hidden = false;
    marks();
    charts();
  }
  document.addEventListener("htmx:after:swap", ready);
  document.addEventListener("htmx:after:settle", ready);
  ready();
})();
