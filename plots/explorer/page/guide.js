// --- The guide: one stop of the path at a time, a picture and a card --------------------------------------------------------

const guide = {told: new Map()};  // by number of the stop what the reader predicted: {said, right}

function guideView(view) {
  const stops = stopsHere(), number = Math.min(state.stop, stops.length - 1), one = stops[number], told = guide.told.get(number);
  state.stop = number;
  view.classList.add("path");
  const picture = add(view, "div", {class: "picture"}), card = add(view, "div", {id: "guide", role: "group", "aria-label": "Guided path"});
  add(card, "p", {class: "quiet", id: "stop"}, `${number + 1} of ${stops.length}${number === 0 ? " · ten minutes, six algorithms" : ` · ${algorithmNamed(one.algorithm).label}`}`);
  addTerms(add(card, "p", {class: "say", id: "say", tabindex: -1}), one.say());
  const shown = guidePicture(picture, one, told), asked = add(card, "div", {class: "asked"});
  const answer = (said, right, because, at) => {
    guide.told.set(number, {said, right, because, at});
    render();
    byId("next").focus();
  };
  if (one.choices) guideChoices(asked, one, told, answer);
  if (one.cross) guideCross(asked, one, told, answer);
  if (told) {
    const verdict = add(card, "div", {class: `verdict${told.right ? "" : " wrong"}`, id: "revealed", role: "status"});
    addTerms(add(verdict, "p"), `${told.right ? "✓ Right." : `✗ You said ${told.said}${one.choices ? `, it is ${one.right()}` : ""}.`} ${told.because}`);
  }
  if (one.last) guideEnd(asked, stops);
  guideButtons(card, number, stops, Boolean(told) || !one.ask);
  return shown.player ?? {last: 0, unit: "", show: () => ""};
}

// The picture of a stop. Before the prediction it stands still; then it moves on to what happens.
function guidePicture(parent, one, told) {
  const run = one.run?.() ?? guideRun(one.algorithm);
  if (one.picture === "cross") return {};  // which asks for the line itself
  if (one.picture === "time") {
    const simulated = guideTime(one.algorithm);
    timelinePanel(parent, algorithmNamed(one.algorithm), simulated, simulated.finish);
    return {};
  }
  const {circle, grid} = stepsParts(parent, run, {choice: false, makeRequest: one.run || precomputed ? null : () => guideTask(one.algorithm)});
  const last = one.then === "complete" ? statesOf(run).findIndex((cells) => cells.some((id) => isWhole(run, id))) : run.steps.length;
  const from = told && one.then ? last : one.steps[0], player = showSteps([{run, circle, grid, label: ""}]);
  if (!told) return {player: {last: 0, unit: "", show: () => player.show(from)}};
  const moves = one.then && !told.moved;
  told.moved = true;
  state.step = moves ? 0 : from;
  return {player: moves ? {...player, runTo: last} : player};
}

function guideChoices(parent, one, told, answer) {
  add(parent, "p", {class: "question", id: "asked"}, one.ask);
  const list = add(parent, "div", {class: "choices", role: "group", "aria-labelledby": "asked"}), right = String(one.right());
  one.choices().forEach((choice, i) => {
    const text = String(choice), button = add(list, "button", {type: "button", class: "choice", "data-key": i + 1}, text);
    if (!told) return void button.addEventListener("click", () => answer(text, text === right, one.because()));
    button.disabled = true;
    button.setAttribute("aria-pressed", String(text === told.said));
    if (text === right) button.classList.add("right");
  });
}

function guideCross(parent, one, told, answer) {
  add(parent, "p", {class: "question", id: "asked"}, one.ask);
  const made = crossingPanel(document.querySelector("#view .picture"), one.cross, 16, told?.at, (at, size, right) => {
    const said = SIZES_SHOWN[0] * (SIZES_SHOWN.at(-1) / SIZES_SHOWN[0]) ** at;
    answer(sizeText(Number(said.toPrecision(2))), right, one.because(size), at);
  });
  if (told) return;
  const button = add(parent, "button", {type: "button", id: "here", class: "choice"}, "They cross here");
  button.addEventListener("click", made.tell);
}

function guideEnd(parent, stops) {
  const right = [...guide.told.values()].filter((one) => one.right).length, asked = stops.filter(({ask: question}) => question).length;
  add(parent, "p", {id: "score-of-path"}, `You predicted ${right} of ${asked} right.`);
  const list = add(parent, "div", {class: "choices"});
  for (const [name, text] of [["curves", "Compare at all sizes"], ["break", "Break one"], ["write", "Write your own"]]) {
    add(list, "button", {type: "button", class: "choice"}, text).addEventListener("click", () => { state.view = name; render(); });
  }
}

function guideButtons(card, number, stops, open) {
  const buttons = add(card, "div", {class: "edits"});
  const button = (id, text, to) => {
    const made = add(buttons, "button", {type: "button", id}, text);
    made.addEventListener("click", () => { state.stop = to; render(); byId("say")?.focus(); });
    return made;
  };
  button("previous", "← Back", number - 1).disabled = number === 0;
  const forward = button("next", open ? "Next →" : "Predict first", number + 1);
  forward.disabled = !open || number === stops.length - 1;
  forward.classList.toggle("primary", open);
  if (number === stops.length - 1) button("again", "From the start", 0).addEventListener("click", () => { guide.told.clear(); render(); });
  add(card, "p", {class: "quiet hint"}, "Keys: 1 to 4 predict, → next, ← back.");
}

// The path by keyboard alone.
function guideKey(event) {
  if (state.view !== "start" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest?.("[role=tab], [role=slider]")) return;
  const button = {ArrowRight: byId("next"), ArrowLeft: byId("previous")}[event.key] ?? document.querySelector(`.choice[data-key="${event.key.replace(/\D/g, "") || "none"}"]`);
  if (!button || button.disabled) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  button.click();
}
