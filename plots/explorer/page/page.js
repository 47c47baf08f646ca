// --- The page: controls, views and the player ---------------------------------------------------------------------------------

const VIEWS = {steps: ["Steps", stepsView], time: ["Time", timeView], network: ["Links", networkView], cost: ["Cost", costView],
               curves: ["Crossover", curvesView], train: ["Training", trainView], quiz: ["Quiz", quizView], break: ["Break it", breakView]};
let showing, playing = null;

function fillControls() {
  const fill = (id, value) => { if (document.activeElement !== byId(id)) byId(id).value = value; };
  for (const id of ["algorithm", "beside", "ranks", "root", "segments", "lane", "model", "topology"]) fill(id, state[id]);
  fill("elements", countText(state.elements));
  byId("root").max = state.ranks - 1;
  byId("lane").max = state.segments - 1;
  byId("lane-label").hidden = state.segments === 1;  // segments run concurrently; the steps show one of them
  byId("topology-label").hidden = !modelNow().has_links && state.on !== "topology";
  const chosen = algorithmNamed(state.algorithm);
  const needs = chosen.needs ? ` It ${sentenceOf(chosen.needs).replace(/^./, (first) => first.toLowerCase())}` : "";
  byId("idea").textContent = `${chosen.label}: ${sentenceOf(chosen.idea)}${needs}`;
  for (const tab of byId("tabs").children) tab.setAttribute("aria-selected", String(tab.dataset.view === state.view));
}

// Redraws the view. If the engine rejects the request, shows the error instead.
function render() {
  pause();
  const view = byId("view");
  view.replaceChildren();
  view.className = "";
  view.setAttribute("aria-labelledby", `tab-${state.view}`);
  document.documentElement.dataset.view = state.view;
  fillControls();
  byId("error").hidden = true;
  const started = performance.now();
  try {
    showing = VIEWS[state.view][1](view);
    const at = showing.unit === "time" ? state.time : Math.min(state.step, showing.last);
    byId("player").hidden = showing.last === 0;
    byId("step").max = showing.last;
    goTo(at);
  } catch (error) {
    view.replaceChildren();
    showing = {last: 0, show: () => ""};
    byId("player").hidden = true;
    byId("told").textContent = "";
    byId("error").hidden = false;
    byId("error").textContent = error.message;
  }
  view.dataset.ms = (performance.now() - started).toFixed(1);
  writeLink();
}

function goTo(at) {
  const to = Math.max(0, Math.min(showing.last, Math.round(at)));
  state[showing.unit === "time" ? "time" : "step"] = to;
  const started = performance.now();
  byId("told").textContent = showing.show(to);
  const slider = byId("step"), text = showing.text?.(to) ?? `step ${to} of ${showing.last}`;
  slider.value = to;
  slider.setAttribute("aria-valuetext", text);
  slider.dataset.ms = (performance.now() - started).toFixed(1);
  byId("where").textContent = text;
  byId("first").disabled = byId("back").disabled = to === 0;
  byId("last").disabled = byId("forward").disabled = to === showing.last;
  writeLink();
}

const position = () => Number(byId("step").value);
const stride = () => showing.unit === "time" ? 4 : 1;
function pause() {
  clearInterval(playing);
  playing = null;
  byId("play").textContent = "▶ play";
}
function play() {
  if (playing !== null) return pause();
  if (position() === showing.last) goTo(0);
  byId("play").textContent = "❚❚ pause";
  playing = setInterval(() => position() >= showing.last ? pause() : goTo(position() + stride()), showing.unit === "time" ? 60 : 900);
}

const KEYS = {ArrowRight: () => goTo(position() + stride()), ArrowLeft: () => goTo(position() - stride()), Home: () => goTo(0),
              End: () => goTo(showing.last), " ": play};
addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.id !== "step";
  const pressed = event.key === " " && /^(BUTTON|SUMMARY|G)$/i.test(event.target.tagName);
  if (typing || pressed || event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(KEYS, event.key) || byId("player").hidden) return;
  event.preventDefault();
  KEYS[event.key]();
});

function addTabs() {
  for (const [name, [title]] of Object.entries(VIEWS)) {
    const tab = add(byId("tabs"), "button", {type: "button", role: "tab", id: `tab-${name}`, "data-view": name, "aria-controls": "view"}, title);
    tab.addEventListener("click", () => { state.view = name; render(); });
  }
}

function addControls() {
  const options = (id, entries) => entries.forEach(([value, text]) => add(byId(id), "option", {value}, text));
  options("algorithm", catalog.algorithms.map(({name, label}) => [name, label]));
  options("beside", [["", "none"], ...catalog.algorithms.map(({name, label}) => [name, label])]);
  options("model", catalog.models.map(({name}) => [name, name]));
  for (const {name} of catalog.topologies) add(byId("topologies"), "option", {value: name});
  const on = (id, act) => byId(id).addEventListener("change", () => { act(byId(id).value); render(); });
  on("algorithm", (name) => Object.assign(state, {algorithm: name, step: 0, time: 0}));
  on("beside", (name) => state.beside = name);
  on("model", (name) => { state.model = name; state.parameters = {}; addParameters(); });
  on("topology", (text) => state.topology = text.trim());
  const whole = (id, low, high, act = () => {}) => on(id, (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= low && number <= high()) state[id] = number;
    act();
    byId(id).value = state[id];
  });
  whole("ranks", 2, () => 64, () => { state.root = Math.min(state.root, state.ranks - 1); state.step = 0; });
  whole("root", 0, () => state.ranks - 1);
  whole("segments", 1, () => 64, () => state.lane = Math.min(state.lane, state.segments - 1));
  whole("lane", 0, () => state.segments - 1);
  on("elements", (text) => { state.elements = countFrom(text) ?? state.elements; byId("elements").value = countText(state.elements); });
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  addParameters();
  for (const id of precomputed ? ["elements", "root", "segments", "model", "topology"] : []) byId(id).disabled = true;
}
let redraw;
function addParameters() {
  byId("parameter-list").replaceChildren();
  parameterSliders(byId("parameter-list"), () => { cancelAnimationFrame(redraw); redraw = requestAnimationFrame(render); });
}

function addPlayer() {
  byId("step").addEventListener("input", () => goTo(position()));
  for (const [id, act] of [["first", KEYS.Home], ["back", KEYS.ArrowLeft], ["forward", KEYS.ArrowRight], ["last", KEYS.End], ["play", play]]) {
    byId(id).addEventListener("click", () => { if (id !== "play") pause(); act(); });
  }
  byId("theme").addEventListener("click", () => {
    const next = {"": "dark", dark: "light", light: ""}[document.documentElement.dataset.theme ?? ""];
    if (next) document.documentElement.dataset.theme = next; else delete document.documentElement.dataset.theme;
    byId("theme").textContent = `Theme: ${next || "auto"}`;
  });
  byId("link").addEventListener("click", async () => {
    const link = `${location.href.split("#")[0]}#${stateText()}`;
    try { await navigator.clipboard.writeText(link); byId("link").textContent = "Copied"; } catch { prompt("The link:", link); }
    setTimeout(() => byId("link").textContent = "Copy link", 1500);
  });
  addEventListener("hashchange", () => { readLink(location.hash.slice(1)); render(); });
}

async function start() {
  await startEngine();
  catalog = ask("catalog");
  readLink(location.hash.slice(1) || window.name);  // a frame in the report gets its state through its name
  if (precomputed) {
    if (!precomputed.ranks.includes(state.ranks)) state.ranks = 8;
    Object.assign(state, {elements: precomputed.elements, root: 0, segments: 1, model: "alpha_beta", parameters: {}});
    byId("note").hidden = false;
    byId("note").textContent = "This page was made without WebAssembly: it shows precomputed runs on " +
      `${precomputed.ranks.join(", ")} ranks. For a page with the engine, which computes all runs: ${howToGetEngine}.`;
  }
  if (!Object.hasOwn(VIEWS, state.view)) state.view = "steps";
  addTabs();
  addControls();
  addPlayer();
  document.querySelector("main").hidden = false;
  render();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}
start().catch((error) => complain(error.message));
