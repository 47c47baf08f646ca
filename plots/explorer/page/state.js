// --- State: the parameters of the page, stored in the link ----------------------------------------------------------------------------

// 0 segments are as many as a comparison takes.
const state = {view: "start", stop: 0, program: "", speed: 1, algorithm: "", beside: "", ranks: 8, elements: 262144, root: 0, segments: 0, lane: 0,
               model: "alpha_beta", topology: "", parameters: {}, step: 0, time: 0, on: "circle"};
const USUAL = {...state, parameters: undefined};
const NUMBERS = ["ranks", "elements", "root", "segments", "lane", "step", "time", "stop", "speed"];
const FRACTIONS = ["step", "speed"];  // of a step: the chunks are on their way
let catalog;

const algorithmNamed = (name) => own.get(name) ?? catalog.algorithms.find((one) => one.name === name);
const modelNow = () => catalog.models.find((one) => one.name === state.model);
// The algorithms in view: one, or two that are compared.
const onView = () => [state.algorithm, state.beside].filter(Boolean);

// The parameters of a run, for ask().
function taskOf(name) {
  const {own: lanes, needs, label, ranks} = algorithmNamed(name);
  const common = {ranks: state.ranks, elements: state.elements, root: state.root, segments: state.segments};
  if (!lanes) return {algorithm: name, ...common, model: state.model, ...(needs ? fabric() : {})};
  if (ranks !== state.ranks) throw new Error(`${label} is a schedule for ${ranks} ranks, not ${state.ranks}: choose ${ranks}.`);
  return {own: lanes, name: label, ...common};
}
function fabric() {
  return modelNow().has_links ? {topology: state.topology || undefined} : {};
}
// The network of a simulation.
const networkNow = () => ({model: state.model, parameters: Object.keys(state.parameters).length ? state.parameters : undefined, ...fabric()});
// The simulated times of algorithms at sizes in bytes: [{name, times}...], of all algorithms unless some are named.
const curvesOf = (sizes, values) => ask("curve", {ranks: state.ranks, sizes, root: state.root, ...values, ...networkNow()}).series;
// An algorithm whose switches add is simulated where they do.
function suitNetwork() {
  if (!onView().some((name) => algorithmNamed(name).in_network)) return;
  if (!modelNow().has_links) Object.assign(state, {model: "fluid", parameters: {}});
  state.topology ||= ADDING;
}
const ADDING = "crossbar:aggregate=yes";
// A lane of a run, which is also what a view is about that the reader changes.
const laneRequest = (algorithm) => ({...taskOf(algorithm), lane: state.lane});
const runOf = (algorithm, lane = state.lane) => ask("run", {...taskOf(algorithm), lane});
// The same in the pieces that the program itself cuts a lane into, where a view has no column for each.
const piecesOf = (algorithm, lane) => ask("run", {...taskOf(algorithm), lane, pieces: algorithmNamed(algorithm).in_pieces || undefined});
const simulatedOf = (algorithm) => ask("simulate", {...taskOf(algorithm), ...networkNow()});

function stateText() {
  const words = Object.entries(state).filter(([key, value]) => key !== "parameters" && (value !== USUAL[key] || key === "view"))
    .filter(([, value]) => !own.has(value)).map(([key, value]) => [key, key === "step" ? Number(value.toFixed(2)) : key === "time" ? Math.round(value) : value]);
  for (const [name, value] of Object.entries(state.parameters)) words.push([`p.${name}`, value]);
  return new URLSearchParams(words).toString();
}
// What a link does not name is as usual.
function readLink(text) {
  const link = new URLSearchParams(text);
  Object.assign(state, USUAL, {parameters: {}});
  if (link.has("algorithm")) state.view = "steps";  // the first view of links without one
  for (const [key, value] of link) {
    const number = Number(value);
    if (key.startsWith("p.") && Number.isFinite(number) && number >= 0) state.parameters[key.slice(2)] = number;
    else if (NUMBERS.includes(key)) { if (Number.isFinite(number) && number >= 0) state[key] = FRACTIONS.includes(key) ? number : Math.floor(number); }
    else if (Object.hasOwn(state, key) && key !== "parameters") state[key] = value;
  }
  if (!Object.hasOwn(VIEWS, state.view)) state.view = "start";
  if (!algorithmNamed(state.algorithm)) state.algorithm = FIRST_SHOWN;
  if (!algorithmNamed(state.beside)) state.beside = "";
  if (!modelNow()) state.model = "alpha_beta";
  const known = modelNow().parameters.map(({name}) => name);
  for (const name of Object.keys(state.parameters)) if (!known.includes(name)) delete state.parameters[name];
  suitNetwork();
  if (!SPEEDS.includes(state.speed)) state.speed = 1;
  state.ranks = Math.max(2, Math.min(64, state.ranks));
  state.root = Math.min(state.root, state.ranks - 1);
  state.segments = Math.min(64, state.segments);
  if (!precomputed) return;
  if (!precomputed.ranks.includes(state.ranks)) state.ranks = USUAL.ranks;
  Object.assign(state, {elements: precomputed.elements, root: 0, segments: 0, model: "alpha_beta", parameters: {}});
}
let linkTimer;
function writeLink() {
  clearTimeout(linkTimer);  // browsers limit the number of changes per second
  linkTimer = setTimeout(() => {
    try { history.replaceState(null, "", `#${stateText()}`); } catch { /* inside another page: the button still works */ }
  }, 150);
}

// --- Numbers as people write them ---------------------------------------------------------------------------------------

function countFrom(text) {
  const found = /^\s*(\d+(?:\.\d+)?)\s*([KMG]?)\s*$/i.exec(text);
  if (!found) return null;
  const value = Number(found[1]) * 1024 ** " KMG".indexOf((found[2] || " ").toUpperCase());
  return Number.isInteger(value) && value >= 0 ? value : null;
}
const countText = (value) => {
  for (const [power, letter] of [[30, "G"], [20, "M"], [10, "K"]]) {
    if (value >= 2 ** power && value % 2 ** power === 0) return `${value / 2 ** power}${letter}`;
  }
  return String(value);
};
const picoText = (picoseconds) => picoseconds === 0 ? "0" : timeText(picoseconds / 1e6);
const rateText = (picoseconds) => picoseconds === 0 ? "0" : `${timeText(picoseconds / 1e6)}/B`;
