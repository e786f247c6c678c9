// SPDX-License-Identifier: Apache-2.0
// Shows the rows and cases of the page's data: filters, figures, pictures and tables. The address after # keeps what is
// filtered and sorted, so that a view can be sent to somebody.
"use strict";

// A failure is told on the page, whose reader would otherwise take what is missing for what was not measured.
window.addEventListener("error", (event) => {
    const fault = document.getElementById("fault");
    fault.hidden = false;
    fault.textContent = `This page failed: ${event.message} (line ${event.lineno})`;
});

const DATA = JSON.parse(document.getElementById("data").textContent);
const FILTERS = {
    op: "operation", machine: "machine", type: "type", class: "class", source: "source", detail: "detail",
};
const LABELS = {
    op: "operation", what: "how", nnz: "entries", ms: "time", gbs: "GB/s", gflops: "GFLOP/s", prep_ms: "setup",
    extra_bytes: "extra memory", err: "error", best: "fastest kernel", best_ms: "its time", peer: "other library",
    peer_ms: "other's time", where: "on", floor_memory: "floor, memory", peers: "beside",
};
const TABLES = {
    operations: ["op", "machine", "type", "cases", "compared", "faster", "least", "where", "floor", "floor_memory",
        "peers"],
    cases: ["op", "matrix", "what", "machine", "type", "class", "nnz", "faster", "ms", "peer_ms", "peer", "gbs",
        "floor", "kernel", "best", "best_ms"],
    rows: ["op", "matrix", "what", "machine", "type", "class", "choice", "kernel", "params", "threads", "ms", "gbs",
        "gflops", "floor", "err", "prep_ms", "extra_bytes", "date", "commit"],
};
const STEP = 200; // rows of a table that are shown at first, and more with each click
const MOST_STRIPS = 40;
const CLASSES = {
    memory: { kind: "k0", about: "operands in memory" },
    cache: { kind: "k1", about: "in a cache" },
    launch: { kind: "k2", about: "as short as a launch" },
};

// --- Data ---

function rowsOf(columns, count) {
    const rows = Array.from({ length: count }, () => ({}));
    for (const [name, column] of Object.entries(columns)) {
        const values = column.words ? column.at.map((place) => (place < 0 ? null : column.words[place])) : column;
        values.forEach((value, i) => {
            if (value !== null) rows[i][name] = value;
        });
    }
    return rows;
}

// The way in which an operation was called, beside its name.
function whatOf(row) {
    const parts = [row.detail, row.second && `with ${row.second}`, row.fill > 0 && `fill ${row.fill}`,
        row.trans === "t" && "transposed", row.block > 1 && `blocks of ${row.block}`,
        row.tasks > 1 && `${row.tasks} tasks`, row.k > 1 && `${row.k} by ${row.layout}`,
        row.index !== "32/32" && row.index && `index ${row.index}`,
        row.pooled && "pooled", row.arranged];
    return parts.filter(Boolean).join(", ");
}

function prepared(rows) {
    for (const row of rows) {
        row.what = whatOf(row);
        row.words = [row.op, row.matrix, row.what, row.kernel, row.peer, row.machine, row.type, row.class, row.choice]
            .join(" ").toLowerCase();
    }
    return rows;
}

const ROWS = prepared(rowsOf(DATA.rows, DATA.counts.rows));
const CASES = prepared(rowsOf(DATA.cases, DATA.counts.cases));

const sum = (values) => values.reduce((total, value) => total + value, 0);
const least = (values) => values.reduce((a, b) => Math.min(a, b));
const greatest = (values) => values.reduce((a, b) => Math.max(a, b));
const geometricMean = (values) => Math.exp(sum(values.map(Math.log)) / values.length);
const present = (rows, name) => rows.map((row) => row[name]).filter((value) => value > 0);
const slowest = (rows) => rows.reduce((worst, row) => (row.faster < worst.faster ? row : worst));
const distinct = (rows, name) => [...new Set(rows.map((row) => row[name]).filter((value) => value !== undefined))];

function quantile(values, part) {
    const sorted = [...values].sort((a, b) => a - b);
    const place = (sorted.length - 1) * part, below = Math.floor(place);
    return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

function grouped(rows, key) {
    const groups = new Map();
    for (const row of rows) {
        const name = key(row);
        if (!groups.has(name)) groups.set(name, []);
        groups.get(name).push(row);
    }
    return groups;
}

// --- Numbers for people ---

function digits(value) {
    if (value === 0) return "0";
    if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
    return Math.abs(value) < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

function scaled(value, step, names) {
    let place = 0;
    while (value >= step * 0.9995 && place < names.length - 1) {
        value /= step;
        place++;
    }
    return `${digits(value)} ${names[place]}`;
}

const human = {
    ms: (value) => scaled(value * 1e6, 1000, ["ns", "µs", "ms", "s"]),
    bytes: (value) => scaled(value, 1000, ["B", "kB", "MB", "GB", "TB"]),
    "GB/s": (value) => (value < 1000 ? `${digits(value)} GB/s` : `${digits(value / 1000)} TB/s`),
    "GFLOP/s": (value) => (value < 1000 ? `${digits(value)} GFLOP/s` : `${digits(value / 1000)} TFLOP/s`),
    times: (value) => `${value >= 0.095 && value < 99.5 ? value.toFixed(2) : digits(value)} ×`,
    count: (value) => value.toLocaleString("en"),
};

function unitOf(name) {
    return ["faster", "least"].includes(name) ? "times" : DATA.units[name];
}

function shown(name, value) {
    if (value === undefined) return "–";
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value === "string") return name === "date" ? value.slice(0, 16).replace("T", " ") : value;
    if (Array.isArray(value)) return JSON.stringify(value);
    if (human[unitOf(name)]) return human[unitOf(name)](value);
    return Number.isInteger(value) ? human.count(value) : digits(value);
}

function placeOf(machine) {
    return machine.replace(/\((R|TM)\)/g, "").replace(/ \(.*| \d+GB.*| Processor$/, "").replace(/^NVIDIA /, "");
}

// --- Elements ---

function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made[key] = value;
    made.append(...children);
    return made;
}

function drawn(name, attributes = {}, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

const at = (id) => document.getElementById(id);

// --- What is filtered and sorted ---

const FIRST_SORTS = { operations: "op" };
const state = { filters: {}, find: "", sorts: { ...FIRST_SORTS }, limits: {} };

function readState() {
    const said = new URLSearchParams(location.hash.slice(1));
    state.find = said.get("find") ?? "";
    const about = (things) => Object.fromEntries([...said].filter(([name, value]) => name in things && value));
    state.filters = about(FILTERS);
    state.sorts = { ...FIRST_SORTS, ...about(TABLES) };
    state.limits = {};
}

function writeState() {
    const said = new URLSearchParams({ ...state.filters, ...(state.find && { find: state.find }), ...state.sorts });
    history.replaceState(null, "", `#${said}`);
}

function passes(row) {
    const words = state.find.toLowerCase().split(/\s+/);
    return Object.entries(state.filters).every(([name, value]) => row[name] === value) &&
        words.every((word) => row.words.includes(word));
}

function changed() {
    state.limits = {};
    writeState();
    draw();
}

function choice(name, label) {
    const values = distinct(ROWS, name).sort();
    if (values.length < 2) return [];
    const box = element("select", { name, onchange: () => {
        if (box.value) state.filters[name] = box.value;
        else delete state.filters[name];
        changed();
    } }, element("option", { value: "" }, "all"));
    const about = (value) => (name === "machine" ? placeOf(value) : value || "none");
    box.append(...values.map((value) => element("option", { value }, about(value))));
    return [element("label", {}, label, box)];
}

function makeFilters() {
    let wait = 0;
    const find = element("input", { name: "find", type: "search", placeholder: "matrix, kernel, library …" });
    find.oninput = () => {
        clearTimeout(wait);
        wait = setTimeout(() => {
            state.find = find.value;
            changed();
        }, 150);
    };
    const reset = element("button", { type: "button", onclick: () => {
        state.filters = {};
        state.find = "";
        showFilters();
        changed();
    } }, "Show all");
    at("filters").append(...Object.entries(FILTERS).flatMap(([name, label]) => choice(name, label)),
        element("label", {}, "find", find), reset);
    at("filters").onsubmit = (event) => event.preventDefault();
}

function showFilters() {
    for (const box of at("filters").querySelectorAll("select, input")) {
        box.value = box.name === "find" ? state.find : state.filters[box.name] ?? "";
        box.classList.toggle("set", box.value !== "");
    }
}

// --- Figures ---

function figure(value, about) {
    return element("div", { className: "figure" }, element("b", {}, value), element("span", {}, about));
}

function figuresOf(cases, rows) {
    const compared = cases.filter((row) => row.faster > 0);
    const found = [figure(human.count(cases.length), `cases, of ${human.count(rows.length)} rows`)];
    if (compared.length) {
        const won = compared.filter((row) => row.faster >= 1).length;
        const worst = slowest(compared);
        found.push(figure(human.times(geometricMean(present(compared, "faster"))),
            "as fast as the fastest other library, geometric mean"),
        figure(`${Math.round(100 * won / compared.length)} %`,
            `of ${human.count(compared.length)} cases at least as fast`),
        figure(human.times(worst.faster), `at worst: ${worst.op} of ${worst.matrix}, ${worst.type}`));
    }
    const large = present(cases.filter((row) => row.class === "memory"), "floor");
    if (large.length) found.push(figure(digits(quantile(large, 0.5)), "of the floor, median of operands in memory"));
    const wrong = rows.filter((row) => row.wrong).length;
    if (wrong) found.push(figure(human.count(wrong), "rows whose result is wrong, which count nowhere"));
    return found;
}

// --- Pictures ---

const WIDTH = 640;
const tips = new WeakMap();

function told(row) {
    const peer = row.peer ? `\n${row.peer}: ${shown("ms", row.peer_ms)}, ${human.times(row.faster)} as long` : "";
    const floor = row.floor === undefined ? "" : `, floor ${digits(row.floor)}`;
    return `${row.op} ${row.what}\n${row.matrix}, ${row.type}, ${placeOf(row.machine)}\n` +
        `${row.kernel}: ${shown("ms", row.ms)}${floor}${peer}`;
}

function dot(x, y, kind, row) {
    const made = drawn("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 3, class: kind });
    tips.set(made, row);
    return made;
}

// A logarithmic scale from numbers to places, with the numbers of its lines; beyond its ends it gives its ends.
function scale(low, high, from, to) {
    if (low === high) [low, high] = [low / 2, high * 2];
    const inside = (value) => Math.min(high, Math.max(low, value));
    const place = (value) => from + (to - from) * Math.log(inside(value) / low) / Math.log(high / low);
    const decades = Math.log10(high / low);
    const steps = decades > 5 ? [1] : decades > 2.2 ? [1, 3] : decades > 1 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
    const apart = decades > 10 ? 3 : 1, ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += apart) {
        const there = (tick) => tick >= low * 0.999 && tick <= high * 1.001;
        ticks.push(...steps.map((step) => step * 10 ** power).filter(there));
    }
    return { place, ticks };
}

// Shows a picture, or says that there is nothing to see.
function show(id, children, height) {
    const figure = at(id);
    figure.querySelectorAll("svg, .none, .legend").forEach((old) => old.remove());
    if (!children) {
        figure.append(element("p", { className: "none" }, "No case that passes the filters has these numbers."));
        return;
    }
    const title = figure.querySelector("b").textContent;
    figure.append(drawn("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title }, ...children));
}

function legend(id, names) {
    at(id).append(element("div", { className: "legend" }, ...Object.entries(names).map(([kind, name]) =>
        element("span", {}, element("i", { className: kind }), name))));
}

// The colours of classes, of those that are there.
function legendOfClasses(id, cases) {
    const there = Object.keys(CLASSES).filter((name) => cases.some((row) => kindOf(row) === CLASSES[name].kind));
    legend(id, Object.fromEntries(there.map((name) => [CLASSES[name].kind, CLASSES[name].about])));
}

const kindOf = (row) => (CLASSES[row.class] ?? CLASSES.memory).kind;

const text = (x, y, words, anchor = "start", kind = "") =>
    drawn("text", { x, y, "text-anchor": anchor, class: kind }, words);
const line = (x1, y1, x2, y2, kind) => drawn("line", { x1, y1, x2, y2, class: kind });

function acrossLines(axis, top, bottom, form) {
    return axis.ticks.flatMap((tick) => {
        const x = axis.place(tick);
        return [line(x, top, x, bottom, "grid"), text(x, bottom + 14, form(tick), "middle", "faint")];
    });
}

function upLines(axis, left, right, form) {
    return axis.ticks.flatMap((tick) => {
        const y = axis.place(tick);
        return [line(left, y, right, y, "grid"), text(left - 6, y + 4, form(tick), "end", "faint")];
    });
}

// The names of strips: the operation, or where there is one alone, what else tells cases apart.
function stripName(cases) {
    const names = ["op", "machine", "class", "type", "what"].filter((name) => distinct(cases, name).length > 1);
    const used = [];
    for (const name of names) {
        const more = [...used, name];
        if (used.length && grouped(cases, (row) => more.map((part) => row[part]).join()).size > 16) continue;
        used.push(name);
    }
    const part = (row, name) => (name === "machine" ? placeOf(row[name]) : row[name] || "plain");
    return (row) => used.map((name) => part(row, name)).join(", ") || row.op;
}

function clipped(words, most) {
    return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}

// Groups of cases that are a strip each, those with the greatest middle first.
function stripsOf(cases, name, middle) {
    const groups = [...grouped(cases, stripName(cases))];
    return groups.map(([label, rows]) => ({ label, rows, mean: middle(present(rows, name)) }))
        .sort((a, b) => b.mean - a.mean).slice(0, MOST_STRIPS);
}

// A strip of dots for each group of cases: the places of dots, their middle, and its number.
function strips(id, cases, name, middle, kind) {
    const counted = cases.filter((row) => row[name] > 0);
    if (!counted.length) return show(id, null);
    const values = present(counted, name), groups = stripsOf(counted, name, middle);
    const left = 170, right = WIDTH - 92, step = 22, top = 6, bottom = top + step * groups.length;
    // A few extreme values would leave little room for the others: they stand at the ends.
    const low = Math.min(0.8, quantile(values, 0.005)), high = Math.max(1.25, quantile(values, 0.995));
    const axis = scale(low, high, left, right);
    const one = axis.place(1);
    const children = [...acrossLines(axis, top, bottom, digits), line(one, top, one, bottom, "one")];
    groups.forEach(({ label, rows, mean }, i) => {
        const y = top + step * (i + 0.5), x = axis.place(mean);
        const dots = rows.map((row, n) => dot(axis.place(row[name]), y + ((n * 7) % 11 - 5) * 0.9, kind(row), row));
        children.push(text(left - 8, y + 4, clipped(label, 23), "end"), ...dots, line(x, y - 8, x, y + 8, "mean"),
            text(right + 8, y + 4, digits(mean)), text(WIDTH, y + 4, `of ${human.count(rows.length)}`, "end", "faint"));
    });
    show(id, children, bottom + 20);
}

// Dots by two numbers on logarithmic axes, under lines at some heights.
function scatter(id, dots, forms, label, heights, kind) {
    if (!dots.length) return show(id, null);
    const left = 62, right = WIDTH - 12, top = 10, bottom = 330;
    const axis = (values, from, to) => scale(0.9 * least(values), 1.1 * greatest(values), from, to);
    const across = axis(dots.map((one) => one.x), left, right), up = axis(dots.map((one) => one.y), bottom, top);
    const children = [...acrossLines(across, top, bottom, forms.x), ...upLines(up, left, right, forms.y),
        ...dots.map((one) => dot(across.place(one.x), up.place(one.y), one.kind, one.row)),
        ...heights.map((height) => line(left, up.place(height), right, up.place(height), kind)),
        text(right, bottom + 32, label, "end", "faint")];
    show(id, children, bottom + 40);
}

function roofline(cases) {
    const own = cases.filter((row) => row.bytes > 0 && row.gbs > 0);
    const dots = own.flatMap((row) => [{ x: row.bytes, y: row.gbs, kind: "k0", row },
        ...(row.peer_gbs > 0 ? [{ x: row.bytes, y: row.peer_gbs, kind: "k1", row }] : [])]);
    const machines = distinct(own, "machine").filter((machine) => DATA.copies[machine]);
    const forms = { x: human.bytes, y: human["GB/s"] }, heights = machines.map((machine) => DATA.copies[machine]);
    scatter("roof", dots, forms, "fewest bytes that the operation moves", heights, "roof");
    if (!dots.length) return;
    legend("roof", { k0: "tulle", k1: "fastest other library" });
    const copies = machines.map((machine) => `${placeOf(machine)} ${human["GB/s"](DATA.copies[machine])}`);
    at("roof").querySelector(".legend").append(element("span", {}, `- - a copy: ${copies.join(", ")}`));
}

function sizes(cases) {
    const compared = cases.filter((row) => row.faster > 0 && row.nnz > 0);
    const dots = compared.map((row) => ({ x: row.nnz, y: row.faster, kind: kindOf(row), row }));
    const forms = { x: (value) => scaled(value, 1000, ["", "k", "M", "G"]).trim(), y: (value) => `${digits(value)} ×` };
    scatter("size", dots, forms, "entries", [1], "one");
    if (dots.length) legendOfClasses("size", compared);
}

function showTip(event) {
    const row = tips.get(event.target), tip = at("tip");
    tip.hidden = !row;
    if (!row) return;
    tip.textContent = told(row);
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
}

// --- Tables ---

function operationsOf(cases) {
    const key = (row) => [row.op, row.machine, row.type].join("\n");
    return [...grouped(cases, key).values()].map((rows) => {
        const compared = rows.filter((row) => row.faster > 0), { op, machine, type } = rows[0];
        const found = { op, machine, type, cases: rows.length, compared: compared.length };
        if (compared.length) {
            const worst = slowest(compared), faster = geometricMean(present(compared, "faster"));
            Object.assign(found, { faster, least: worst.faster, where: worst.matrix });
            found.peers = [...new Set(compared.flatMap((row) => row.peer_version.split(", ")))].sort().join(", ");
        }
        const floors = present(rows, "floor"), large = present(rows.filter((row) => row.class === "memory"), "floor");
        if (floors.length) found.floor = quantile(floors, 0.5);
        if (large.length) found.floor_memory = quantile(large, 0.5);
        return found;
    });
}

function sorted(rows, by) {
    if (!by) return rows;
    const down = by.startsWith("-"), name = down ? by.slice(1) : by;
    const numbers = (a, b) => typeof a === "number" && typeof b === "number";
    const compare = (a, b) => (numbers(a, b) ? a - b : String(a).localeCompare(String(b), "en"));
    const missing = (row) => row[name] === undefined || row[name] === "";
    const order = (a, b) => (missing(a) ? 0 : (down ? -1 : 1) * compare(a[name], b[name]));
    return [...rows].sort((a, b) => missing(a) - missing(b) || order(a, b));
}

function heading(id, name, numeric) {
    const order = state.sorts[id] ?? "", here = order.replace(/^-/, "") === name, down = order.startsWith("-");
    const button = element("button", { type: "button", onclick: () => {
        state.sorts[id] = here ? (down ? name : `-${name}`) : numeric ? `-${name}` : name;
        changed();
    } }, (LABELS[name] ?? name) + (here ? (down ? " ▼" : " ▲") : ""));
    const cell = element("th", { className: numeric ? "number" : "", scope: "col" }, button);
    cell.dataset.name = name;
    cell.setAttribute("aria-sort", here ? (down ? "descending" : "ascending") : "none");
    return cell;
}

function cellOf(row, name, numeric) {
    const mark = row.unchecked && ["ms", "peer_ms", "faster"].includes(name) ? " †" : "";
    const value = name === "machine" ? placeOf(row.machine) : shown(name, row[name]) + mark;
    const cell = element("td", { className: numeric ? "number" : name === "peers" ? "long" : "" }, value);
    if (["faster", "least"].includes(name) && row[name]) cell.classList.add(row[name] < 1 ? "slower" : "faster");
    if (name === "err" && row.wrong) cell.classList.add("wrong");
    return cell;
}

function toggleFields(line, row, width) {
    if (line.nextSibling?.classList.contains("fields")) {
        line.nextSibling.remove();
        return;
    }
    const names = Object.keys(row).filter((name) => !["words", "what", "timed"].includes(name)).sort();
    const list = element("dl", {}, ...names.map((name) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, shown(name, row[name])))));
    line.after(element("tr", { className: "fields" }, element("td", { colSpan: width }, list)));
}

// Columns that say the same in all rows stand above the table, once.
function columnsOf(id, all) {
    const names = TABLES[id].filter((name) => all.some((row) => row[name] !== undefined && row[name] !== ""));
    const same = all.length > 1 ? names.filter((name) => new Set(all.map((row) => row[name])).size === 1) : [];
    return { names: names.filter((name) => !same.includes(name)), same };
}

const COLUMNS = { operations: null, cases: columnsOf("cases", CASES), rows: columnsOf("rows", ROWS) };

function sheet(id, rows, all) {
    const { names, same } = COLUMNS[id] ?? columnsOf(id, all);
    const numeric = Object.fromEntries(names.map((name) => [name, all.some((row) => typeof row[name] === "number")]));
    const limit = state.limits[id] ?? STEP, part = sorted(rows, state.sorts[id]).slice(0, limit);
    const body = element("tbody", {}, ...part.map((row) => {
        const made = element("tr", {}, ...names.map((name) => cellOf(row, name, numeric[name])));
        if (id === "rows") made.onclick = () => toggleFields(made, row, names.length);
        return made;
    }));
    const counts = `${human.count(part.length)} of ${human.count(rows.length)} shown`;
    const below = element("div", { className: "below" }, counts);
    if (part.length < rows.length) {
        below.append(element("button", { type: "button", onclick: () => {
            state.limits[id] = limit + 5 * STEP;
            sheet(id, rows, all);
        } }, "Show more"));
    }
    const head = element("thead", {}, element("tr", {}, ...names.map((name) => heading(id, name, numeric[name]))));
    const common = same.map((name) => `${LABELS[name] ?? name} ${shown(name, all[0][name])}`).join(", ");
    at(id).replaceChildren(...(common ? [element("p", { className: "note" }, `In all of them: ${common}.`)] : []),
        element("div", { className: "sheet" }, element("table", {}, head, body)), below);
}

// --- The page ---

function draw() {
    const cases = CASES.filter(passes), rows = ROWS.filter(passes);
    showFilters();
    at("figures").replaceChildren(...figuresOf(cases, rows));
    strips("speed", cases, "faster", geometricMean, (row) => (row.faster < 1 ? "bad" : "good"));
    strips("floor", cases, "floor", (values) => quantile(values, 0.5), kindOf);
    const floored = cases.filter((row) => row.floor > 0);
    if (floored.length) legendOfClasses("floor", floored);
    roofline(cases);
    sizes(cases);
    sheet("operations", operationsOf(cases), operationsOf(CASES));
    sheet("cases", cases, CASES);
    sheet("rows", rows, ROWS);
}

readState();
makeFilters();
draw();
window.addEventListener("hashchange", () => {
    readState();
    draw();
});
at("pictures").addEventListener("pointermove", showTip);
at("pictures").addEventListener("pointerleave", () => (at("tip").hidden = true));
