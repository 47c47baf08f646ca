// --- The page: controls and views ---------------------------------------------------------------------------------------------

const VIEWS = {start: ["Start", guideView], steps: ["Steps", stepsView], time: ["Time", timeView], network: ["Links", networkView], cost: ["Cost", costView],
               curves: ["Crossover", curvesView], train: ["Training", trainView], quiz: ["Quiz", quizView], break: ["Break it", breakView], write: ["Write", writeView]};
const NO_CONTROLS = ["start"];  // views that choose for the reader
const LANE_BY_LANE = ["steps", "quiz", "break"];  // lanes run concurrently; these views show one of them

// The lanes of the algorithm that has most; 1 if the engine refuses the run, which the view then says.
function lanesOnView() {
  try { return Math.max(1, ...onView().map((name) => runOf(name, 0).lanes)); } catch { return 1; }
}

function fillControls() {
  const lanes = LANE_BY_LANE.includes(state.view) ? lanesOnView() : 0;
  if (lanes) state.lane = Math.min(state.lane, lanes - 1);
  const fill = (id, value) => { if (document.activeElement !== byId(id)) byId(id).value = value; };
  for (const id of ["algorithm", "beside", "ranks", "root", "lane", "model", "topology"]) fill(id, state[id]);
  fill("segments", state.segments || "");
  fillParameters();
  fill("elements", countText(state.elements));
  fill("speed", state.speed);
  for (const id of ["algorithm", "beside", "segments"]) byId(id).parentNode.hidden = state.view === "write";
  byId("controls").hidden = NO_CONTROLS.includes(state.view);
  byId("root").max = state.ranks - 1;
  byId("lane").max = lanes - 1;
  byId("lane-label").hidden = lanes <= 1;
  byId("topology-label").hidden = !modelNow().has_links && state.on !== "topology";
  const chosen = algorithmNamed(state.algorithm);
  const needs = chosen.needs ? ` It ${sentenceOf(chosen.needs).replace(/^./, (first) => first.toLowerCase())}` : "";
  byId("idea").textContent = state.view === "start" ? "How many computers add numbers together: allreduce, step by step." :
    state.view === "write" ? "Write an algorithm: the verifier answers while you type." : `${chosen.label}: ${sentenceOf(chosen.idea)}${needs}`;
  for (const tab of byId("tabs").children) {
    tab.setAttribute("aria-selected", String(tab.dataset.view === state.view));
    tab.tabIndex = tab.dataset.view === state.view ? 0 : -1;
  }
}

function complainOf(text) {
  byId("error").hidden = false;
  byId("error").textContent = text;
}

// Redraws the view. If the engine rejects the request, shows the error instead.
function render() {
  stop();
  const view = byId("view");
  view.replaceChildren();
  view.className = "";
  view.setAttribute("aria-labelledby", `tab-${state.view}`);
  document.documentElement.dataset.view = state.view;
  fillControls();
  byId("error").hidden = true;
  const started = performance.now();
  try {
    present(VIEWS[state.view][1](view));
  } catch (error) {
    view.replaceChildren();
    present({last: 0, unit: "", show: () => ""});
    complainOf(error.message);
  }
  byId("note").hidden = !precomputed || !byId("error").hidden;
  view.dataset.ms = (performance.now() - started).toFixed(1);
  writeLink();
}

function addTabs() {
  for (const [name, [title]] of Object.entries(VIEWS)) {
    const tab = add(byId("tabs"), "button", {type: "button", role: "tab", id: `tab-${name}`, "data-view": name, "aria-controls": "view"}, title);
    tab.addEventListener("click", () => { state.view = name; render(); });
  }
  byId("tabs").addEventListener("keydown", ({key}) => {
    const tabs = [...byId("tabs").children], at = tabs.findIndex((tab) => tab.dataset.view === state.view);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1}[key];
    if (to === undefined) return;
    const tab = tabs[(to + tabs.length) % tabs.length];
    tab.focus();
    tab.click();
  });
}

function addControls() {
  const options = (id, entries) => entries.forEach(([value, text]) => add(byId(id), "option", {value}, text));
  options("algorithm", catalog.algorithms.map(({name, label}) => [name, label]));
  options("beside", [["", "none"], ...catalog.algorithms.map(({name, label}) => [name, label])]);
  options("model", catalog.models.map(({name}) => [name, name]));
  for (const {name} of catalog.topologies) add(byId("topologies"), "option", {value: name});
  const on = (id, act) => byId(id).addEventListener("change", () => { act(byId(id).value); render(); });
  on("algorithm", (name) => {
    Object.assign(state, {algorithm: name, step: 0, time: 0});
    if (own.has(name)) state.ranks = own.get(name).ranks;
    suitNetwork();
  });
  on("beside", (name) => { state.beside = name; suitNetwork(); });
  on("model", (name) => { state.model = name; state.parameters = {}; });
  on("topology", (text) => state.topology = text.trim());
  const whole = (id, low, high, act = () => {}) => on(id, (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= low && number <= high()) state[id] = number;
    act();
    byId(id).value = id === "segments" && state[id] === 0 ? "" : state[id];
  });
  whole("ranks", 2, () => 64, () => { state.root = Math.min(state.root, state.ranks - 1); state.step = 0; });
  whole("root", 0, () => state.ranks - 1);
  whole("segments", 0, () => 64);
  whole("lane", 0, () => lanesOnView() - 1);
  on("elements", (text) => { state.elements = countFrom(text) ?? state.elements; byId("elements").value = countText(state.elements); });
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  for (const id of precomputed ? ["elements", "root", "segments", "model", "topology"] : []) byId(id).disabled = true;
}
let redraw, parametersShown;
// The sliders show the parameters of the model, whatever has changed them; while one of them moves they stay.
function fillParameters() {
  const text = () => JSON.stringify([state.model, state.parameters]);
  if (parametersShown === text()) return;
  parametersShown = text();
  byId("parameter-list").replaceChildren();
  parameterSliders(byId("parameter-list"), () => {
    parametersShown = text();
    cancelAnimationFrame(redraw);
    redraw = requestAnimationFrame(render);
  });
}

async function copyLink(button) {
  const link = `${location.href.split("#")[0]}#${stateText()}`, said = button.textContent;
  try { await navigator.clipboard.writeText(link); button.textContent = "Copied"; } catch { prompt("The link:", link); }
  setTimeout(() => button.textContent = said, 1500);
}

function addHeader() {
  byId("theme").addEventListener("click", () => {
    const now = {"": "dark", dark: "light", light: ""}[document.documentElement.dataset.theme ?? ""];
    if (now) document.documentElement.dataset.theme = now; else delete document.documentElement.dataset.theme;
    byId("theme").textContent = `Theme: ${now || "auto"}`;
  });
  byId("link").addEventListener("click", () => copyLink(byId("link")));
  addEventListener("hashchange", () => { readLink(location.hash.slice(1)); render(); });
  addEventListener("keydown", guideKey);
}

async function start() {
  await startEngine();
  catalog = ask("catalog");
  if (precomputed) catalog.algorithms = catalog.algorithms.filter((one) => !one.in_network);  // whose network adds
  readGlossary();
  const link = location.hash.slice(1) || window.name;  // a frame in the report gets its state through its name
  readLink(link);
  if (precomputed) {
    byId("note").textContent = "This page was made without WebAssembly: it shows precomputed runs on " +
      `${precomputed.ranks.join(", ")} ranks. For a page with the engine, which computes all runs: ${howToGetEngine}.`;
  }
  addTabs();
  addControls();
  addHeader();
  addPlayer();
  addOpening();
  addTips();
  document.querySelector("main").hidden = false;
  render();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}
start().catch((error) => complain(error.message));
