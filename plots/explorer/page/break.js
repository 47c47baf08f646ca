// --- Break it: change the schedule and see what the verifier reports ------------------------------------------------------

const VERBS = ["send", "add", "overwrite", "give", "take", "give and take"];
const broken = {about: "", schedule: null, rank: 0, round: 0, did: ""};

function breakView(view) {
  const algorithm = algorithmNamed(state.algorithm), ranks = state.ranks, run = runOf(algorithm.name);
  const about = request("run", laneRequest(algorithm.name));
  if (broken.about !== about) {
    Object.assign(broken, {about, schedule: structuredClone(run.schedule), rank: 0, round: 0, did: ""});
  }
  if (precomputed) {
    add(add(view, "figure"), "p", {}, `Breaking a schedule needs the verifier, which this page does not contain. For a page with it: ${howToGetEngine}.`);
    return {last: 0, unit: "", show: () => ""};
  }
  const edited = ask("run", {...laneRequest(algorithm.name), schedule: broken.schedule});
  const edits = add(view, "figure", {class: "break"}), ways = add(edits, "div", {class: "edits", "aria-label": "Ways to break it"});
  const change = (did, action) => { action(broken.schedule); broken.did = did; render(); };
  const mine = () => broken.schedule[broken.rank][broken.round] ?? [];
  const where = () => `rank ${broken.rank}, round ${broken.round + 1}`;
  const offer = (id, text, action) => add(ways, "button", {type: "button", id}, text).addEventListener("click", action);
  offer("shift", "Off by one chunk", () => change(`${where()}: every chunk is off by one`, () => mine().forEach((a) => a[2] = (a[2] + 1) % ranks)));
  offer("skip", "Omit the round", () => change(`${where()} is omitted`, (all) => all[broken.rank].splice(broken.round, 1)));
  offer("skip-all", "Omit that round on all ranks", () => change(`round ${broken.round + 1} is omitted on all ranks`, (all) => all.forEach((rounds) => rounds.splice(broken.round, 1))));
  offer("twice", "Repeat that round on all ranks", () => change(`round ${broken.round + 1} is repeated on all ranks`, (all) => all.forEach((rounds) => rounds[broken.round] && rounds.splice(broken.round, 0, structuredClone(rounds[broken.round])))));
  offer("swap", "Overwrite instead of add", () => change(`${where()}: overwrites instead of adding`, () => mine().forEach((a) => { if (a[0] === 1) a[0] = 2; })));
  offer("mend", "Undo all", () => change("", (all) => all.splice(0, all.length, ...structuredClone(run.schedule))));
  const choose = add(edits, "div", {class: "edits"});
  const select = (id, label, count, value, text, act) => {
    const box = add(add(choose, "label", {class: "quiet"}, `${label} `), "select", {id});
    for (let i = 0; i < count; ++i) add(box, "option", {value: i}, text(i));
    box.value = value;
    box.addEventListener("change", () => { act(Number(box.value)); render(); });
  };
  select("break-rank", "rank", ranks, broken.rank, String, (rank) => Object.assign(broken, {rank, round: 0}));
  broken.round = Math.min(broken.round, Math.max(0, broken.schedule[broken.rank].length - 1));
  select("break-round", "its round", broken.schedule[broken.rank].length, broken.round, (i) => String(i + 1), (round) => broken.round = round);

  const list = add(edits, "ul", {class: "actions"});
  mine().forEach((action, i) => {
    const [verb, peer, first, count, stride] = action, item = add(list, "li");
    add(item, "span", {}, `${VERBS[verb]} ${chunksText(first, count, stride, ranks)} ${verb > 2 ? "by the switches of team" : verb === 0 ? "to rank" : "from rank"} ${peer}`);
    const button = (text, label, act) => {
      const made = add(item, "button", {type: "button", "aria-label": `${text}: ${label}`}, text);
      made.addEventListener("click", () => change(`${where()}: ${label}`, act));
    };
    button("chunk −", "chunk minus one", () => action[2] -= 1);
    button("chunk +", "chunk plus one", () => action[2] += 1);
    button("peer +", "next peer", () => action[1] = (action[1] + 1) % ranks);
    button("delete", "action omitted", () => mine().splice(i, 1));
  });
  const verdict = add(edits, "div", {class: `verdict${edited.fault ? " wrong" : ""}`, id: "verdict", "aria-live": "polite"});
  add(verdict, "p", {class: "quiet"}, broken.did ? `You: ${broken.did}.` : "No changes yet. Choose a rank and a round, and break it.");
  add(verdict, "p", {class: edited.fault ? "wrong" : "right", id: "verifier"}, edited.fault ? `${edited.fault.kind}: ${edited.fault.text}` : "✓ The verifier finds nothing wrong.");
  const grid = holdingsPanel(view, edited, `contributions held ${edited.fault ? "when the verifier stops" : "at the end"}${laneText(edited)}`);
  grid.paint(edited.steps.length);
  if (edited.fault && edited.fault.rank < ranks && edited.fault.chunk < ranks && edited.fault.chunk >= 0) {
    const size = GRID.side / ranks;
    add(grid.svg, "rect", {x: GRID.left + edited.fault.chunk * size, y: GRID.top + edited.fault.rank * size, width: size, height: size, fill: "none", "pointer-events": "none",
                           style: "stroke: var(--bad); stroke-width: 4", id: "fault"});
  }
  view.classList.add("two");
  return {last: 0, unit: "", show: () => edited.fault ? `The verifier: ${edited.fault.text}.` : "The verifier finds nothing wrong."};
}
