// --- Motion: chunks on their way, and the clock that moves them -----------------------------------------------------------

const MOST_TOKENS = 300;  // of more messages only the arrows are drawn
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

const TRAVEL_END = 0.82;  // of a step: then chunks have arrived, and rest for the eye

// How far a chunk is when `part` of a step is over: it starts and stops gently.
function travelled(part) {
  const t = Math.min(1, part / TRAVEL_END);
  return t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2;
}

// The chunks of messages in the grid, above the cells they come from; each moves by dy. Returns [{node, dy}...].
function gridTokens(parent, run, grid, messages) {
  if (messages.length > MOST_TOKENS) return [];
  const {size, ranks} = grid, inset = Math.max(1, size * 0.1), tokens = [];
  for (const message of messages) {
    const [from, to, first, count, adds, , , stride] = message, node = add(parent, "g", {class: `token ${adds ? "add" : "over"}`, "data-from": from, "data-to": to});
    const paths = [];
    let done = 0;
    for (const [chunk, chunks] of runsOf(first, count, stride, ranks)) {
      const [x, y] = grid.at(from, chunk);
      add(node, "rect", {class: "token-back", x: (x + inset).toFixed(1), y: (y + inset).toFixed(1), width: (chunks * size - 2 * inset).toFixed(1), height: (size - 2 * inset).toFixed(1), rx: Math.min(4, size / 8)});
      for (let i = 0; i < chunks && grid.strips; ++i, ++done) {
        const all = contributors(run, sumCarried(message, done)), [left, top] = grid.at(from, chunk + i);
        addStrips(paths, all, ranks, grid.barIn(left, top));
        if (ranks <= 8) add(node, "text", {class: "middle ink", x: left + size / 2, y: top + size * 0.42 + letters(15) * 0.36, style: `font-size: ${letters(15)}px`}, String(sumOf(all)));
      }
    }
    drawStrips(node, paths);
    tokens.push({node, dy: (to - from) * size});
  }
  return tokens;
}

// A chunk that travels between ranks: the strips of what it carries, the sum if there is room, and a stack if there are more
// chunks. The middle of it is at 0, 0.
function chunkToken(parent, run, all, {count, adds, from, to}) {
  const ranks = run.chunks.length, number = ranks <= 8, [width, height] = number ? [58, 40] : [Math.min(50, 18 + ranks * 2), 16];
  const node = add(parent, "g", {class: `token ${adds ? "add" : "over"}`, "data-from": from, "data-to": to, "data-whose": all.join(" ")});
  for (const back of count > 1 ? [4, 2, 0] : [0]) {
    add(node, "rect", {class: "token-back", x: -width / 2 + back, y: -height / 2 - back, width, height, rx: 3});
  }
  if (ranks > MOST_STRIPS) return node;
  const paths = [];
  addStrips(paths, all, ranks, {x: -width / 2 + 3, y: height / 2 - (number ? 15 : 13), width: width - 6, height: number ? 12 : 10});
  drawStrips(node, paths);
  if (number) add(node, "text", {class: "middle ink", y: -2, style: "font-size: 16px"}, String(sumOf(all)));
  return node;
}

// The curve of an arrow at a time from 0 to 1.
const curveAt = ([ax, ay], [mx, my], [bx, by], t) =>
  [(1 - t) ** 2 * ax + 2 * t * (1 - t) * mx + t * t * bx, (1 - t) ** 2 * ay + 2 * t * (1 - t) * my + t * t * by];

// Puts the chunks of messages on a stage. Returns [{node, place(part)}...], part being how much of the step is over.
function stageTokens(parent, run, on, messages, step, runWith) {
  if (messages.length > MOST_TOKENS) return [];
  const tokens = [];
  for (const message of messages.filter((one) => transferOf(one) === undefined)) {
    const [from, to, , count, adds] = message, middle = bowed(on.places[from], on.places[to], bowOf(on));
    const node = chunkToken(parent, run, contributors(runWith(message), sumCarried(message)), {count, adds, from, to});
    tokens.push({node, place: (part) => curveAt(on.places[from], middle, on.places[to], travelled(part))});
  }
  for (const {givers, takers, all, count} of transfersOf(run, messages, step)) {  // to the switch, and their sum from it
    const hub = hubOf(on), line = (a, b, t) => curveAt(a, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], b, t);
    for (const [from, carried] of givers) {
      const node = chunkToken(parent, run, contributors(run, carried), {count, adds: 1, from, to: "switch"});
      tokens.push({node, until: 0.5, place: (part) => line(on.places[from], hub, travelled(Math.min(1, 2 * part)))});
    }
    for (const to of takers) {
      const node = chunkToken(parent, run, all, {count, adds: 0, from: "switch", to});
      tokens.push({node, since: 0.5, place: (part) => line(hub, on.places[to], travelled(Math.max(0, 2 * part - 1)))});
    }
  }
  return tokens;
}
function placeTokens(tokens, part) {
  for (const {node, place, since = 0, until = 1} of tokens) {
    const [x, y] = place(part), seen = part >= since && (part < until || until === 1);
    node.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    if (since > 0 || until < 1) node.setAttribute("visibility", seen ? "visible" : "hidden");
  }
}

// The transfers through switches of a step: the ranks that give, each with its sum, those that take, and whose the sum is.
function transfersOf(run, messages, step) {
  const found = new Map(), ranks = run.chunks.length, [before, after] = [statesOf(run)[step - 1], statesOf(run)[step]];
  for (const message of messages) {
    const [from, to, first, count] = message, number = transferOf(message);
    if (number === undefined) continue;
    if (!found.has(number)) found.set(number, {givers: new Map(), takers: new Set(), first, count});
    found.get(number).givers.set(from, sumCarried(message));
    found.get(number).takers.add(to);
  }
  for (const one of found.values()) {
    const [taker] = one.takers, given = [...one.givers.values()].flatMap((id) => contributors(run, id)).length;
    one.all = contributors(run, after[taker * ranks + one.first]);
    if (one.all.length > given) one.givers.set(taker, before[taker * ranks + one.first]);  // which sends to no other rank
  }
  return [...found.values()].sort((a, b) => a.first - b.first);
}

// --- The clock -------------------------------------------------------------------------------------------------------

const SPEEDS = [0.25, 0.5, 1, 2, 4];
let frame = null;
const frames = [];  // milliseconds between the last frames of an animation, for measurements

// Moves from `from` to `to`, both in `unit`s of `milliseconds`, and calls show(at) in each frame. Then calls done().
function glide(from, to, milliseconds, show, done = () => {}) {
  stopGlide();
  let started = null, last = null;
  const length = Math.abs(to - from) * milliseconds;
  const tick = (now) => {
    started ??= now;
    if (last !== null) frames.push(now - last);
    if (frames.length > 2000) frames.shift();
    last = now;
    const part = Math.min(1, length === 0 ? 1 : (now - started) / length);
    frame = part < 1 ? requestAnimationFrame(tick) : null;
    show(part < 1 ? from + (to - from) * part : to);
    if (part >= 1) done();
  };
  frame = requestAnimationFrame(tick);
}
function stopGlide() {
  if (frame !== null) cancelAnimationFrame(frame);
  frame = null;
}
