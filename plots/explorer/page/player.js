// --- The player: steps and time, by buttons, slider and keys -------------------------------------------------------------

let showing = {last: 0, unit: "", show: () => ""};
let playing = null;  // where a play or a step under way ends, or null

// Makes what a view shows the thing that the player moves.
function present(made) {
  stop();
  showing = made;
  const at = showing.unit === "time" ? state.time : Math.min(state.step, showing.last);
  byId("player").hidden = showing.last === 0;
  byId("step").max = showing.last;
  byId("step").step = showing.unit === "time" ? 1 : 0.02;
  goTo(at);
  if (showing.runTo === undefined) return;
  if (reduced.matches) return goTo(showing.runTo);
  playing = {to: showing.runTo};
  glide(at, showing.runTo, STEP_MS.step / state.speed, goTo, stop);
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Shows a place, also between two steps.
function goTo(at) {
  const to = Math.max(0, Math.min(showing.last, showing.unit === "time" ? at : Math.round(at * 1000) / 1000));
  state[showing.unit === "time" ? "time" : "step"] = to;
  const started = performance.now();
  setText(byId("told"), showing.show(to));
  const slider = byId("step"), text = showing.text?.(to) ?? `step ${to} of ${showing.last}`;
  slider.value = to;
  slider.setAttribute("aria-valuetext", text);
  slider.dataset.ms = (performance.now() - started).toFixed(1);
  setText(byId("where"), text);
  byId("first").disabled = byId("back").disabled = to === 0;
  byId("last").disabled = byId("forward").disabled = to === showing.last;
  if (to === Math.floor(to)) writeLink();
}

const position = () => state[showing.unit === "time" ? "time" : "step"];
const STEP_MS = {step: 1500, time: 15};  // at normal speed, of a step and of a tick

function stop() {
  stopGlide();
  clearInterval(playing?.timer);
  playing = null;
  setText(byId("play"), "▶ play");
}
// Moves to a place in the time it takes, or at once if the reader wants no motion or is ahead of a motion.
function travel(to) {
  const under = playing?.to;
  stop();
  if (under !== undefined) goTo(under);
  const target = Math.max(0, Math.min(showing.last, to(position())));
  if (reduced.matches || showing.unit !== "step" || target === position()) return goTo(target);
  playing = {to: target};
  glide(position(), target, 0.5 * STEP_MS.step / state.speed, goTo, stop);
}
const next = (at) => showing.unit === "time" ? at + 4 : Math.floor(at + 1);
const previous = (at) => showing.unit === "time" ? at - 4 : Math.ceil(at - 1);

function play() {
  if (playing?.whole) return stop();
  stop();
  if (position() === showing.last) goTo(0);
  setText(byId("play"), "❚❚ pause");
  if (!reduced.matches) {
    playing = {whole: true};
    return glide(position(), showing.last, STEP_MS[showing.unit] / state.speed, goTo, stop);
  }
  const step = showing.unit === "time" ? 4 : 1, wait = STEP_MS[showing.unit] * step / state.speed;
  playing = {whole: true, timer: setInterval(() => position() >= showing.last ? stop() : goTo(Math.floor(position()) + step), wait)};
}

const jump = (to) => { stop(); goTo(to); };
const KEYS = {ArrowRight: (event) => event?.shiftKey ? jump(position() + 0.1) : travel(next), ArrowLeft: (event) => event?.shiftKey ? jump(position() - 0.1) : travel(previous),
              Home: () => jump(0), End: () => jump(showing.last), " ": play};
function onKey(event) {
  const {target} = event, typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.id !== "step";
  const pressed = event.key === " " && /^(BUTTON|SUMMARY|G)$/i.test(target.tagName);
  const elsewhere = target.closest?.("[role=tab], [role=slider], #guide");
  if (typing || pressed || elsewhere || event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(KEYS, event.key) || byId("player").hidden) return;
  event.preventDefault();
  KEYS[event.key](event);
}

function addPlayer() {
  byId("step").addEventListener("input", () => jump(Number(byId("step").value)));
  for (const [id, act] of [["first", KEYS.Home], ["back", KEYS.ArrowLeft], ["forward", KEYS.ArrowRight], ["last", KEYS.End], ["play", play]]) {
    byId(id).addEventListener("click", () => act());
  }
  for (const speed of SPEEDS) add(byId("speed"), "option", {value: speed}, `${speed}×`);
  byId("speed").addEventListener("change", () => {
    state.speed = Number(byId("speed").value);
    const going = playing?.whole;
    if (going) { stop(); play(); }
  });
  addEventListener("keydown", onKey);
}
