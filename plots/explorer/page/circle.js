// --- Messages: the ranks on a circle or on the hosts of a topology, messages as arrows between them --------------

const SIDE = 520;
function circlePlaces(ranks) {
  const radius = SIDE / 2 - 34;
  return Array.from({length: ranks}, (_, r) => {
    const angle = 2 * Math.PI * r / ranks - Math.PI / 2;
    return [SIDE / 2 + radius * Math.cos(angle), SIDE / 2 + radius * Math.sin(angle)];
  });
}
// Returns the positions of the ranks: {places, width, height, radius, network?}.
function stage(pairs = []) {
  if (state.on === "circle") {
    return {places: circlePlaces(state.ranks), width: SIDE, height: SIDE, radius: Math.max(5, Math.min(letters(19), 330 / state.ranks))};
  }
  const network = networkOf(pairs);
  const hosts = network.hosts.map((host) => network.nodes[host].slice(0, 2));
  const apart = Math.min(...hosts.slice(1).map(([x, y], i) => Math.hypot(x - hosts[i][0], y - hosts[i][1])), 90);
  return {places: hosts, width: network.width, height: network.height, radius: Math.max(6, Math.min(26, apart * 0.36)), network};
}

function arrowPath([x, y], [u, v], bow, room) {
  const length = Math.hypot(u - x, v - y) || 1, cut = Math.min(room + 3, length / 3);
  const mx = (x + u) / 2 - (v - y) * bow, my = (y + v) / 2 + (u - x) * bow;
  const toward = (px, py) => { const l = Math.hypot(mx - px, my - py) || 1; return [(mx - px) / l, (my - py) / l]; };
  const [ax, ay] = toward(x, y), [bx, by] = toward(u, v);
  const from = [x + ax * cut, y + ay * cut], tip = [u + bx * cut, v + by * cut];
  const [hx, hy] = [tip[0] + bx * 9, tip[1] + by * 9];
  const line = `M${from[0].toFixed(1)},${from[1].toFixed(1)}Q${mx.toFixed(1)},${my.toFixed(1)} ${hx.toFixed(1)},${hy.toFixed(1)}`;
  const head = `M${tip[0].toFixed(1)},${tip[1].toFixed(1)}L${(hx - by * 5).toFixed(1)},${(hy + bx * 5).toFixed(1)}` +
               `L${(hx + by * 5).toFixed(1)},${(hy - bx * 5).toFixed(1)}Z`;
  return [line, head];
}

// Clears svg, then draws messages [[from, to, first chunk, count, adds, its round, the receiver's, stride]...] on a stage.
function drawStage(svg, on, messages, {onRank = null, chosen = -1} = {}) {
  svg.replaceChildren();
  const {places, radius, network} = on;
  if (network) drawNetwork(svg, network, messages);
  const lines = {add: ["", ""], over: ["", ""]}, few = messages.length <= 300;
  for (const message of messages) {
    const [from, to, , , adds] = message, kind = adds ? "add" : "over";
    const [line, head] = few ? arrowPath(places[from], places[to], on.network ? 0.16 : 0.14, radius) :
      [`M${places[from].map(Math.round)}L${places[to].map(Math.round)}`, ""];
    lines[kind][0] += line;
    lines[kind][1] += head;
    if (few) {
      const touch = add(svg, "path", {class: "message thick", d: line});
      add(touch, "title", {}, messageText(message, state.ranks));
    }
  }
  for (const [kind, [line, head]] of Object.entries(lines)) {
    if (!line) continue;
    const thin = few ? "" : "stroke-width: .5; stroke-dasharray: none";
    add(svg, "path", {class: `message ${kind}`, d: line, "pointer-events": "none", style: thin});
    if (few) add(svg, "path", {class: `arrow ${kind}`, d: head, "pointer-events": "none"});
  }
  const busy = new Set(messages.flatMap(([from]) => [from]));
  places.forEach(([x, y], rank) => {
    const group = add(svg, "g", {"data-rank": rank});
    const circle = add(group, "circle", {class: `rank${busy.has(rank) ? " busy" : ""}${rank === chosen ? " chosen" : ""}`, cx: x.toFixed(1),
                                         cy: y.toFixed(1), r: radius.toFixed(1)});
    add(circle, "title", {}, `rank ${rank}`);
    const size = Math.max(8, Math.min(network ? 22 : letters(15), radius * 1.05));
    if (radius >= 7) {
      add(group, "text", {class: `middle ink${busy.has(rank) ? " busy" : ""}`, x: x.toFixed(1), y: (y + size * 0.36).toFixed(1),
                          style: `font-size: ${size}px`, "pointer-events": "none"}, String(rank));
    } else if (!network && (state.ranks <= 32 || rank % 2 === 0)) {
      const [dx, dy] = [x - SIDE / 2, y - SIDE / 2], far = 1 + 14 / Math.hypot(dx, dy);
      add(group, "text", {class: "middle", x: (SIDE / 2 + dx * far).toFixed(1), y: (SIDE / 2 + dy * far + 4).toFixed(1),
                          style: "font-size: 11px"}, String(rank));
    }
    if (!onRank) return;
    for (const [name, value] of Object.entries({class: "clickable", tabindex: 0, role: "button", "aria-label": `rank ${rank}`})) group.setAttribute(name, value);
    group.addEventListener("click", () => onRank(rank));
    group.addEventListener("keydown", (event) => { if (event.key === "Enter") onRank(rank); });
  });
}

// Fits the view box to the drawing, for networks that fill only a part of it.
function fitBox(svg) {
  const {x, y, width, height} = svg.getBBox(), room = 14;
  svg.setAttribute("viewBox", [x - room, y - room, width + 2 * room, height + 2 * room].map((n) => n.toFixed(1)).join(" "));
}

// A stage that can switch between circle and topology. Returns a function that draws messages.
function stagePanel(parent, title, redraw) {
  const {figure, caption} = panel(parent, title, "tall");
  const choose = add(caption, "select", {"aria-label": "Drawn on", class: "on"});
  for (const on of ["circle", "topology"]) add(choose, "option", {value: on}, `on the ${on}`);
  choose.value = state.on;
  choose.disabled = Boolean(precomputed) || !catalog.topologies.length;
  choose.addEventListener("change", () => { state.on = choose.value; redraw(); });
  const svg = add(figure, "svg", {role: "img", class: "stage", "aria-label": title});
  legend(figure, MOVES);
  return (messages) => {
    const pairs = state.on !== "topology" ? [] :
      unique(messages.map(([from, to]) => `${from},${to}`)).slice(0, 300).map((pair) => pair.split(",").map(Number));
    const on = stage(pairs);
    svg.setAttribute("viewBox", `0 0 ${on.width} ${on.height}`);
    svg.setAttribute("aria-label", `${title}: ${messages.length ? messages.slice(0, 8).map((m) => messageText(m, state.ranks)).join("; ") : "no messages"}`);
    drawStage(svg, on, messages);
    if (on.network) fitBox(svg);
  };
}
