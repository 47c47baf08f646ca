// --- Steps: each step as text and as values -----------------------------------------------------------------

const valuesOf = new WeakMap();
// The state after each step: rank r's sum of chunk c has id [step][r * ranks + c]; -1 for none.
function statesOf(run) {
  if (!valuesOf.has(run)) {
    const states = [Int32Array.from(run.start)], ranks = run.chunks.length;
    for (const {changes} of run.steps) {
      const next = states.at(-1).slice();
      for (const [rank, chunk, id] of changes) next[rank * ranks + chunk] = id;
      states.push(next);
    }
    valuesOf.set(run, states);
  }
  return valuesOf.get(run);
}

// A message carries chunks first, first + stride, ..., around the end.
const chunksOf = (first, count, stride, ranks) => Array.from({length: count}, (_, i) => (first + i * stride) % ranks);
// The same as runs of consecutive chunks, [first, count].
function runsOf(first, count, stride, ranks) {
  if (stride !== 1) return chunksOf(first, count, stride, ranks).map((chunk) => [chunk, 1]);
  const beforeEnd = Math.min(count, ranks - first);
  return beforeEnd < count ? [[first, beforeEnd], [0, count - beforeEnd]] : [[first, count]];
}
const chunksText = (first, count, stride, ranks) =>
  count === 0 ? "a part" : count === ranks ? "the whole vector" : count === 1 ? `chunk ${first}` :
  stride !== 1 || first + count > ranks ? `chunks ${chunksOf(first, count, stride, ranks).join(", ")}` : `chunks ${first} to ${first + count - 1}`;
const messageText = (message, ranks) => {
  const [from, to, first, count, adds, , , stride] = message, what = chunksText(first, count, stride, ranks);
  return transferOf(message) === undefined ? `rank ${from} sends ${what} to rank ${to}, which ${adds ? "adds" : "overwrites"}` :
    `rank ${from} gives ${what} to the switches, whose sum rank ${to} takes`;
};
const ranksList = (ranks) => ranks.length > 6 ? `${ranks.slice(0, 4).join(", ")}, and ${ranks.length - 4} more` : ranks.join(", ");
const transferText = ({givers, takers, first, count}, ranks) =>
  `the switches add ${chunksText(first, count, 1, ranks)} of rank${givers.size > 1 ? "s" : ""} ${ranksList(ascending([...givers.keys()]))} for rank${takers.size > 1 ? "s" : ""} ${ranksList(ascending([...takers]))}`;

const sentenceOf = (text) => text.endsWith(".") ? text : `${text}.`;

// Describes the step in words, also for screen readers.
function stepText(run, step) {
  const ranks = run.chunks.length;
  if (step === 0) return "At the start every rank holds its own contribution to every chunk.";
  const {messages} = run.steps[step - 1], most = 4;
  const all = [...transfersOf(run, messages, step).map((one) => transferText(one, ranks)),
               ...messages.filter((message) => transferOf(message) === undefined).map((message) => messageText(message, ranks))];
  const said = all.slice(0, most).join("; ");
  const more = all.length > most ? `; and ${plural(all.length - most, "more message")}` : "";
  const whole = run.contributions, state = statesOf(run)[step];
  const done = [...Array(ranks).keys()].filter((r) => {
    return state.slice(r * ranks, (r + 1) * ranks).every((id) => id >= 0 && whole[id] === ranks);
  });
  const end = done.length === ranks ? " Every rank holds the whole sum." :
    done.length ? ` ${plural(done.length, "rank")} of ${ranks} ${done.length === 1 ? "holds" : "hold"} the whole sum.` : "";
  return `Step ${step}: ${said || "nothing is sent"}${more}.${end}`;
}

// Which part of the vector a run shows, if others have lanes of their own.
const laneText = ({lanes, lane}) => lanes > 1 ? `, lane ${lane} of 0 to ${lanes - 1}` : "";
const piecesText = ({pieces}) => pieces > 1 ? `, drawn with a chunk per rank instead of ${pieces}` : "";
const elementsText = ({lanes, offset, elements}) => lanes > 1 ? ` of elements ${offset.toLocaleString("en")} to ${(offset + elements - 1).toLocaleString("en")}` : "";

// --- Panels: a figure with a title and an SVG download -----------------------------------------------------

function panel(parent, title, classes = "") {
  const figure = add(parent, "figure", {class: classes}), caption = add(figure, "figcaption");
  add(caption, "b", {}, title);
  const take = add(caption, "button", {type: "button", class: "take"}, "SVG");
  take.title = "Save this picture as SVG";
  take.addEventListener("click", () => saveSvg(figure.querySelector("svg"), title));
  return {figure, caption};
}

// Returns the picture as a file, including the page's style.
function svgText(svg) {
  const copy = svg.cloneNode(true), box = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  const chosen = document.documentElement.dataset.theme;
  if (chosen) copy.dataset.theme = chosen;
  const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({x: box.x, y: box.y, width: box.width, height: box.height, style: "fill: var(--card)"})) back.setAttribute(name, value);
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = byId("style").textContent;
  copy.prepend(style, back);
  return new XMLSerializer().serializeToString(copy);
}
function saveSvg(svg, title) {
  if (svg) saveText(svgText(svg), `${title.toLowerCase().replace(/[^a-z0-9]+/g, "_")}.svg`, "image/svg+xml");
}

function legend(figure, entries) {
  const line = add(figure, "p", {class: "legend"});
  for (const [color, text, dashed] of entries) add(line, "span", {style: `--key: var(${color})`, class: dashed ? "dashed" : ""}, text);
}
const MOVES = [["--add", "received and added"], ["--over", "received, overwrites", true]];

// The view of steps: the circle and the holdings of one algorithm, or of two side by side.
function stepsView(view) {
  const runs = onView().map((name) => [algorithmNamed(name), runOf(name)]);
  const parts = runs.map(([algorithm, run]) => {
    const title = (what) => runs.length > 1 ? `${algorithm.label}: ${what}` : what;
    const column = runs.length > 1 ? add(view, "div") : view;
    const made = stepsParts(column, run, {title, makeRequest: () => laneRequest(algorithm.name)});
    return {...made, label: algorithm.label};
  });
  view.classList.add("two");
  return showSteps(parts);
}

// The stage and the grid of one run.
function stepsParts(parent, run, {title = (what) => what, makeRequest, choice = true}) {
  const circle = stagePanel(parent, title(`messages${laneText(run)}${piecesText(run)}`), run, render, {choice});
  return {run, circle, grid: holdingsPanel(parent, run, title(`whose contributions each rank holds${elementsText(run)}`), {makeRequest})};
}

// What the player shows of runs: between two steps the chunks are on their way.
function showSteps(parts) {
  const last = Math.max(...parts.map(({run}) => run.steps.length));
  let drawn = null, said = "";
  return {last, unit: "step", show(at) {
    const step = Math.floor(at), part = at - step, now = part > 0 ? step + 1 : step;
    for (const {run, circle, grid} of parts) {
      const own = Math.min(at, run.steps.length), messages = now > 0 && now <= run.steps.length ? run.steps[now - 1].messages : [];
      if (drawn !== `${now} ${part > 0}`) circle.draw(messages, now, part > 0);
      circle.move(part);
      grid.paint(own);
    }
    if (drawn !== `${now} ${part > 0}`) said = parts.map(({run, label}) => {
      const text = now > run.steps.length ? `Done after ${plural(run.steps.length, "step")}.` : stepText(run, now);
      return parts.length > 1 ? `${label}. ${text}` : text;
    }).join(" ");
    drawn = `${now} ${part > 0}`;
    return said;
  }, text: (at) => Number.isInteger(at) ? `step ${at} of ${last}` : `step ${Math.ceil(at)} of ${last}, under way`};
}
