// --- Messages: the ranks on a circle or on the hosts of a topology, messages as arrows between them --------------

const SIDE = 520;
function circlePlaces(ranks) {
  const radius = SIDE / 2 - (ranks <= MOST_STRIPS ? 56 : 34);  // beside which stands what each brings
  return Array.from({length: ranks}, (_, r) => {
    const angle = 2 * Math.PI * r / ranks - Math.PI / 2;
    return [SIDE / 2 + radius * Math.cos(angle), SIDE / 2 + radius * Math.sin(angle)];
  });
}
// Returns the positions of the ranks: {places, width, height, radius, network?}.
function stage(ranks, pairs = [], circle = state.on === "circle") {
  if (circle) return {places: circlePlaces(ranks), width: SIDE, height: SIDE, radius: Math.max(5, Math.min(letters(19), 330 / ranks))};
  const network = networkOf(pairs);
  const hosts = network.hosts.map((host) => network.nodes[host].slice(0, 2));
  const apart = Math.min(...hosts.slice(1).map(([x, y], i) => Math.hypot(x - hosts[i][0], y - hosts[i][1])), 90);
  return {places: hosts, width: network.width, height: network.height, radius: Math.max(6, Math.min(26, apart * 0.36)), network};
}
// Where switches that add are drawn: in the middle of the circle, or of the topology's switches.
function hubOf({width, height, network}) {
  const switches = network?.nodes.filter(([, , , host]) => !host) ?? [];
  if (!switches.length) return [width / 2, height / 2];
  return [0, 1].map((axis) => switches.reduce((sum, node) => sum + node[axis], 0) / switches.length);
}

const bowOf = (on) => on.network ? 0.16 : 0.14;
// The middle of a curve that bows aside, so that two messages of opposite ways are apart.
const bowed = ([x, y], [u, v], bow) => [(x + u) / 2 - (v - y) * bow, (y + v) / 2 + (u - x) * bow];

function arrowPath([x, y], [u, v], bow, room, end = room) {
  const length = Math.hypot(u - x, v - y) || 1, cut = (wish) => Math.min(wish + 3, length / 3);
  const [mx, my] = bowed([x, y], [u, v], bow);
  const toward = (px, py) => { const l = Math.hypot(mx - px, my - py) || 1; return [(mx - px) / l, (my - py) / l]; };
  const [ax, ay] = toward(x, y), [bx, by] = toward(u, v);
  const from = [x + ax * cut(room), y + ay * cut(room)], tip = [u + bx * cut(end), v + by * cut(end)];
  const [hx, hy] = [tip[0] + bx * 9, tip[1] + by * 9];
  const line = `M${from[0].toFixed(1)},${from[1].toFixed(1)}Q${mx.toFixed(1)},${my.toFixed(1)} ${hx.toFixed(1)},${hy.toFixed(1)}`;
  const head = `M${tip[0].toFixed(1)},${tip[1].toFixed(1)}L${(hx - by * 5).toFixed(1)},${(hy + bx * 5).toFixed(1)}` +
               `L${(hx + by * 5).toFixed(1)},${(hy - bx * 5).toFixed(1)}Z`;
  return [line, head];
}

// The arrows of messages: [text, from, to, adds, bow, room at the end] each. Those through switches lead to the hub and from it.
function arrowsOf(on, messages, runWith) {
  const hub = hubOf(on), arrows = [], drawn = new Set();
  for (const message of messages) {
    const [from, to, , , adds] = message, number = transferOf(message), chunks = runWith(message).chunks.length;
    if (number === undefined) {
      arrows.push([messageText(message, chunks), on.places[from], on.places[to], adds, bowOf(on), on.radius]);
      continue;
    }
    for (const [key, text, a, b, kind] of [[`${number} from ${from}`, `rank ${from} gives ${chunksText(...message.slice(2, 4), message[7], chunks)} to the switches`, on.places[from], hub, 1],
                                           [`${number} to ${to}`, `rank ${to} takes the sum of ${chunksText(...message.slice(2, 4), message[7], chunks)}`, hub, on.places[to], 0]]) {
      if (!drawn.has(key)) arrows.push([text, a, b, kind, 0.05, kind ? 14 : on.radius]);
      drawn.add(key);
    }
  }
  return arrows;
}

function drawArrows(svg, on, messages, runWith) {
  const arrows = arrowsOf(on, messages, runWith), lines = {add: ["", ""], over: ["", ""]}, few = arrows.length <= MOST_TOKENS;
  for (const [text, from, to, adds, bow, end] of arrows) {
    const kind = adds ? "add" : "over";
    const [line, head] = few ? arrowPath(from, to, bow, on.radius, end) : [`M${from.map(Math.round)}L${to.map(Math.round)}`, ""];
    lines[kind][0] += line;
    lines[kind][1] += head;
    if (few) add(add(svg, "path", {class: "message thick", d: line}), "title", {}, text);
  }
  for (const [kind, [line, head]] of Object.entries(lines)) {
    if (!line) continue;
    const thin = few ? "" : "stroke-width: .5; stroke-dasharray: none";
    add(svg, "path", {class: `message ${kind}`, d: line, "pointer-events": "none", style: thin});
    if (few) add(svg, "path", {class: `arrow ${kind}`, d: head, "pointer-events": "none"});
  }
}

// The number that a rank brings, in its color, outside of the circle.
function drawBrought(group, [x, y], rank, radius) {
  const [dx, dy] = [x - SIDE / 2, y - SIDE / 2], far = 1 + (radius + 18) / Math.hypot(dx, dy), [cx, cy] = [SIDE / 2 + dx * far, SIDE / 2 + dy * far];
  add(group, "rect", {class: "brings-back", x: (cx - 12).toFixed(1), y: (cy - 12).toFixed(1), width: 24, height: 24, rx: 4, fill: RANK_COLORS[rank], "pointer-events": "none"});
  add(group, "text", {class: "middle on-color", x: cx.toFixed(1), y: (cy + 6).toFixed(1), style: "font-size: 16px", "pointer-events": "none"}, String(numberOf(rank)));
}

// A switch that adds, in the middle of its messages.
function drawHub(svg, on) {
  const [x, y] = hubOf(on), group = add(svg, "g", {class: "hub"});
  add(add(group, "rect", {class: "rank", x: x - 15, y: y - 15, width: 30, height: 30, rx: 4}), "title", {}, "switches that add");
  add(group, "text", {class: "middle ink", x, y: y + 7, style: "font-size: 20px", "pointer-events": "none"}, "+");
}

// A part of a picture that is a button obeys its keys.
function onPress(node, act) {
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  });
}

// Clears svg, then draws messages [[from, to, first chunk, count, adds, its round, the receiver's, stride, ...]...] on a stage.
function drawStage(svg, on, messages, {onRank = null, chosen = -1, runWith = null} = {}) {
  svg.replaceChildren();
  const {places, radius, network} = on, ranks = places.length;
  if (network) drawNetwork(svg, network, messages);
  drawArrows(svg, on, messages, runWith);
  if (messages.some((message) => transferOf(message) !== undefined)) drawHub(svg, on);
  const busy = new Set(messages.flatMap(([from]) => [from]));
  places.forEach(([x, y], rank) => {
    const group = add(svg, "g", {"data-rank": rank});
    const circle = add(group, "circle", {class: `rank${busy.has(rank) ? " busy" : ""}${rank === chosen ? " chosen" : ""}`, cx: x.toFixed(1),
                                         cy: y.toFixed(1), r: radius.toFixed(1)});
    add(circle, "title", {}, ranks <= MOST_STRIPS ? `rank ${rank}, which brings ${numberOf(rank)}` : `rank ${rank}`);
    const size = Math.max(8, Math.min(network ? 22 : letters(15), radius * 1.05));
    if (radius >= 7) {
      add(group, "text", {class: `middle ink${busy.has(rank) ? " busy" : ""}`, x: x.toFixed(1), y: (y + size * 0.36).toFixed(1),
                          style: `font-size: ${size}px`, "pointer-events": "none"}, String(rank));
    } else if (!network && (ranks <= 32 || rank % 2 === 0)) {
      const [dx, dy] = [x - SIDE / 2, y - SIDE / 2], far = 1 + 14 / Math.hypot(dx, dy);
      add(group, "text", {class: "middle", x: (SIDE / 2 + dx * far).toFixed(1), y: (SIDE / 2 + dy * far + 4).toFixed(1),
                          style: "font-size: 11px"}, String(rank));
    }
    if (!network && !onRank && ranks <= MOST_STRIPS) drawBrought(group, [x, y], rank, radius);
    if (!onRank) return;
    for (const [name, value] of Object.entries({class: "clickable", tabindex: 0, role: "button", "aria-label": `rank ${rank}`})) group.setAttribute(name, value);
    group.addEventListener("click", () => onRank(rank));
    onPress(group, () => onRank(rank));
  });
}

// Fits the view box to the drawing, for networks that fill only a part of it.
function fitBox(svg) {
  const {x, y, width, height} = svg.getBBox(), room = 14;
  svg.setAttribute("viewBox", [x - room, y - room, width + 2 * room, height + 2 * room].map((n) => n.toFixed(1)).join(" "));
}

// A stage that can switch between circle and topology. Returns {draw, move}: draw(messages, step, moving) draws messages, and
// their chunks if they are on their way; move(part) puts these where they are when `part` of the step is over.
// runWith(message) returns the run that a message is of, if there are others than `run`.
function stagePanel(parent, title, run, redraw, {choice = true, runWith = () => run} = {}) {
  const {figure, caption} = panel(parent, title, "tall"), ranks = run.chunks.length;
  if (choice) {
    const choose = add(caption, "select", {"aria-label": "Drawn on", class: "on"});
    for (const on of ["circle", "topology"]) add(choose, "option", {value: on}, `on the ${on}`);
    choose.value = state.on;
    choose.disabled = Boolean(precomputed) || !catalog.topologies.length;
    choose.addEventListener("change", () => { state.on = choose.value; redraw(); });
  }
  const svg = add(figure, "svg", {role: "img", class: "stage", "aria-label": title});
  legend(figure, MOVES);
  let tokens = [];
  return {
    draw(messages, step, moving = false) {
      const circle = !choice || state.on !== "topology";
      const pairs = circle ? [] : unique(messages.map(([from, to]) => `${from},${to}`)).slice(0, MOST_TOKENS).map((pair) => pair.split(",").map(Number));
      const on = stage(ranks, pairs, circle);
      svg.setAttribute("viewBox", `0 0 ${on.width} ${on.height}`);
      svg.setAttribute("aria-label", `${title}: ${messages.length ? messages.slice(0, 8).map((m) => messageText(m, runWith(m).chunks.length)).join("; ") : "no messages"}`);
      drawStage(svg, on, messages, {runWith});
      if (on.network) fitBox(svg);
      tokens = moving ? stageTokens(add(svg, "g", {"pointer-events": "none"}), run, on, messages, step, runWith) : [];
    },
    move(part) { placeTokens(tokens, part); },
    // Each of the chunks at a part of its own way.
    moveEach(parts) { tokens.forEach((token, i) => placeTokens([token], parts[i])); },
  };
}
