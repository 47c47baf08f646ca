// --- Time: the activities of every rank on one clock, and the critical path -------------------------------------------

const [SEND, RECEIVE, REDUCE] = [0, 1, 2];
const AXIS = {left: 34, right: 10, top: 8, bottom: 26};

// Names the messages of a lane by their ends and the sender's round, and if there are several by their order.
function namer() {
  const seen = new Map();
  return (...ends) => {
    const name = ends.join(), nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    return `${name},${nth}`;
  };
}

// Messages as {from, to, begin, arrives, end, bytes, lane, its name in the lane, its number}, from the spans.
const messagesOf = new WeakMap();
function flights(simulated) {
  if (!messagesOf.has(simulated)) {
    const sends = new Map(), all = [], nameOf = namer(), byNumber = (a, b) => a[8] - b[8];
    for (const span of simulated.spans) if (span[0] === SEND) sends.set(span[8], span);
    for (const span of simulated.spans.filter(([kind]) => kind === RECEIVE).sort(byNumber)) {
      const out = sends.get(span[8]);
      if (!out) continue;  // a rank that takes what switches have added
      all.push({from: out[1], to: span[1], begin: out[6], arrives: span[6], end: span[7], bytes: span[5], lane: out[2], name: nameOf(out[2], out[1], span[1], out[3]), message: span[8]});
    }
    messagesOf.set(simulated, all);
  }
  return messagesOf.get(simulated);
}
// The messages of the schedule by their names, to know what a message of the simulation carries. Returns {carried(flight),
// runWith(message)}: a message of the schedule, and the run of its lane.
function scheduled(name) {
  const lanes = new Map(), runs = new Map();
  const known = (lane) => {
    if (!lanes.has(lane)) {
      const run = piecesOf(name, lane), messages = new Map(), nameOf = namer();
      for (const message of run.steps.flatMap((step) => step.messages)) {
        const [from, to, , , , round] = message, own = message.slice(0, 9);
        messages.set(nameOf(lane, from, to, round), own);
        runs.set(own, run);
      }
      lanes.set(lane, messages);
    }
    return lanes.get(lane);
  };
  return {carried: (flight) => known(flight.lane).get(flight.name), runWith: (message) => runs.get(message)};
}

// When each rank waits: until it has finished it neither sends, nor receives, nor adds. [[begin, end]...] of each rank.
function waitsOf(simulated) {
  const busy = simulated.finish_of.map(() => []);
  for (const [kind, rank, , , , , begin, end] of simulated.spans) if (kind !== RECEIVE || end > begin) busy[rank].push([begin, end]);
  for (const {to, begin, end} of flights(simulated)) busy[to].push([begin, end]);
  return busy.map((spans, rank) => {
    const waits = [];
    let free = 0;
    for (const [begin, end] of spans.sort((a, b) => a[0] - b[0])) {
      if (begin > free) waits.push([free, begin]);
      free = Math.max(free, end);
    }
    if (simulated.finish_of[rank] > free) waits.push([free, simulated.finish_of[rank]]);
    return waits;
  });
}
function waitsText(simulated) {
  const lengths = waitsOf(simulated).map((waits) => waits.reduce((sum, [begin, end]) => sum + end - begin, 0));
  const most = Math.max(...lengths), all = lengths.reduce((sum, length) => sum + length, 0);
  if (simulated.finish === 0) return "";
  if (all === 0) return "No rank ever waits.";
  const percent = (part) => part > 0 && part < 0.005 ? "less than 1%" : `${Math.round(100 * part)}%`;
  return `Ranks wait ${percent(all / (simulated.finish * lengths.length))} of their time, rank ${lengths.indexOf(most)} most: ${percent(most / simulated.finish)}.`;
}

function niceTicks(most, count) {
  const rough = most / count, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find((s) => s * power >= rough) * power;
  return Array.from({length: Math.floor(most / step) + 1}, (_, i) => i * step);
}

function timelinePanel(parent, algorithm, simulated, end) {
  const {figure} = panel(parent, `${algorithm.label}: ${picoText(simulated.finish)}`);
  const width = Math.max(330, figure.clientWidth - 24);
  const ranks = simulated.finish_of.length, row = Math.max(7, Math.min(30, 420 / ranks)), {left, top} = AXIS;
  const inner = width - left - AXIS.right, height = top + ranks * row + AXIS.bottom;
  const x = (time) => left + inner * time / end, y = (rank) => top + rank * row;
  const svg = add(figure, "svg", {viewBox: `0 0 ${width} ${height}`, role: "img", class: "timeline",
    "aria-label": `${algorithm.label}: timeline of ${ranks} ranks, ${picoText(simulated.finish)}. ${criticalText(simulated)}`});
  for (const tick of niceTicks(end, 5)) {
    add(svg, "path", {class: "grid", d: `M${x(tick).toFixed(1)},${top}v${(ranks * row).toFixed(1)}`});
    add(svg, "text", {class: x(tick) > width - 50 ? "end" : "middle", x: x(tick).toFixed(1), y: height - 8}, picoText(tick));
  }
  const every = Math.ceil(13 / row);
  for (let r = 0; r < ranks; r += every) add(svg, "text", {class: "end", x: left - 6, y: (y(r) + row / 2 + 4).toFixed(1), style: "font-size: 11px"}, String(r));
  const bar = (rank, part, begin, finish) => {
    const h = (row - 1.5) / 2, w = Math.max(0.6, x(finish) - x(begin) - 0.9);  // apart from the next
    return `M${x(begin).toFixed(1)},${(y(rank) + part * (h + 0.5)).toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h-${w.toFixed(1)}z`;
  };
  const paths = {wait: "", flight: "", send: "", receive: "", reduce: ""};
  waitsOf(simulated).forEach((waits, rank) => waits.forEach(([begin, finish]) => {
    paths.wait += `M${x(begin).toFixed(1)},${(y(rank) + row / 2).toFixed(1)}H${x(finish).toFixed(1)}`;
  }));
  for (const [kind, rank, , , , , begin, finish] of simulated.spans) {
    if (kind === SEND) paths.send += bar(rank, 0, begin, finish);
    if (kind === RECEIVE && finish > begin) paths.receive += bar(rank, 1, begin, finish);
    if (kind === REDUCE) paths.reduce += bar(rank, 1, begin, finish);
  }
  for (const {to, begin, arrives} of flights(simulated)) paths.flight += bar(to, 1, begin, arrives);
  for (const [kind, d] of Object.entries(paths)) if (d) add(svg, "path", {class: `span-${kind}`, d, style: kind === "wait" ? `stroke-width: ${Math.max(2, row * 0.4).toFixed(1)}` : ""});
  let line = "";
  for (const [, rank, to, , , , begin, finish] of simulated.path) {
    const at = (r) => (y(r) + row / 2).toFixed(1);
    line += `${line ? "L" : "M"}${x(begin).toFixed(1)},${at(rank)}L${x(finish).toFixed(1)},${at(to)}`;
  }
  add(svg, "path", {class: "critical", d: line, "pointer-events": "none"});
  const cursor = add(svg, "path", {class: "cursor", d: "", "pointer-events": "none"});
  const key = [["--out", "sends", "send"], ["--in", "a message arrives", "flight"], ["--add", "adds", "reduce"], ["--wait", "waits", "wait"]];
  legend(figure, [...key.filter(([, , kind]) => paths[kind]).map(([color, text, kind]) => [color, text, kind === "wait"]), ["--bad", "critical path"]]);
  add(figure, "p", {class: "waits-text"}, waitsText(simulated));
  const told = add(figure, "p", {class: "quiet critical-text"}, criticalText(simulated));
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), scale = width / box.width;
    const time = ((event.clientX - box.left) * scale - left) / inner * end;
    const rank = Math.floor(((event.clientY - box.top) * scale - top) / row);
    const doing = simulated.spans.filter(([, r, , , , , begin, finish]) => r === rank && begin <= time && time <= finish);
    if (rank < 0 || rank >= ranks || !doing.length) return void(told.textContent = criticalText(simulated));
    told.textContent = `Rank ${rank} at ${picoText(Math.round(time))}: ` + doing.slice(0, 3).map(([kind, , , round, peer, bytes, begin, finish]) => {
      const what = kind === SEND ? `sends ${sizeText(bytes)} to ${peer}` : kind === RECEIVE ? `receives ${sizeText(bytes)} from ${peer}` : `adds ${sizeText(bytes)} from ${peer}`;
      return `round ${round} ${what} (${picoText(begin)} to ${picoText(finish)})`;
    }).join("; ");
  });
  return (time) => cursor.setAttribute("d", time > end ? "" : `M${x(time).toFixed(1)},${top}v${(ranks * row).toFixed(1)}`);
}

// Describes the critical path in words.
function criticalText(simulated) {
  const {path, spent, finish} = simulated;
  if (!path.length) return "Nothing is sent.";
  const kinds = Object.entries(spent).filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]);
  const words = {send: "sending", message: "transfers", receive: "receiving", reduce: "adding", wait: "idle ports"};
  const parts = kinds.map(([kind, time]) => `${words[kind]} ${picoText(time)} (${Math.round(100 * time / finish)}%)`).join(", ");
  const [, rank] = path.at(-1), messages = path.filter(([kind]) => kind === "message").length;
  const to = path.at(-1)[2];
  return `The critical path has ${plural(messages, "message")}, from rank ${path[0][1]} to rank ${to ?? rank}: ${parts}.`;
}

// The view of time: for each algorithm the messages in transit and the timeline, with a common clock.
function timeView(view) {
  const shown = onView().map((name) => [algorithmNamed(name), simulatedOf(name), runOf(name)]);
  const end = Math.max(...shown.map(([, simulated]) => simulated.finish), 1), ticks = 400;
  view.classList.add("two");
  const parts = shown.map(([algorithm, simulated, run]) => {
    const column = shown.length > 1 ? add(view, "div") : view;
    const cursor = timelinePanel(column, algorithm, simulated, end);
    const {carried, runWith} = scheduled(algorithm.name), circle = stagePanel(column, `${algorithm.label}: in transit`, run, render, {runWith});
    return {algorithm, simulated, cursor, circle, carried, drawn: null};
  });
  state.time = Math.min(state.time, ticks);
  return {last: ticks, unit: "time", show(tick) {
    const now = end * tick / ticks;
    return `At ${picoText(Math.round(now))}: ` + parts.map((part) => {
      const {algorithm, simulated, cursor, circle, carried} = part;
      const under = flights(simulated).filter(({from, to, begin, end: finish}) => from !== to && begin <= now && now < finish);  // to itself: by a switch
      cursor(now);
      const names = under.map(({message}) => message).join();
      if (part.drawn !== names) circle.draw(under.map(carried), 0, true);
      part.drawn = names;
      circle.moveEach(under.map(({begin, end: finish}) => TRAVEL_END * (now - begin) / (finish - begin)));
      const done = simulated.finish_of.filter((time) => time <= now).length;
      return `${algorithm.label}: ${plural(under.length, "message")} in transit, ${done} of ${simulated.finish_of.length} ranks done`;
    }).join("; ") + ".";
  }, text: (tick) => picoText(Math.round(end * tick / ticks))};
}
