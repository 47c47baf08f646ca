// --- Holdings: a grid of ranks by chunks, each cell with the contributions in it ------------------------------------------

const GRID = {left: 38, top: 42, side: 480};
// Font sizes: larger on a phone, which scales pictures down.
const letters = (size) => innerWidth < 500 ? size * 1.45 : size;

// The cells of a grid on `ranks` ranks: [x, y] of a cell, its size, and the part of it that holds the strips.
function gridOf(ranks) {
  const {left, top, side} = GRID, size = side / ranks;
  const bar = {height: Math.max(2.5, size * 0.27), inset: Math.max(1, size * 0.07)};
  return {ranks, size, left, top, strips: ranks <= MOST_STRIPS, numbers: ranks <= 20,
          at: (rank, chunk) => [left + chunk * size, top + rank * size],
          barIn: (x, y) => ({x: x + bar.inset, y: y + size - bar.height - bar.inset, width: size - 2 * bar.inset, height: bar.height})};
}

function drawEmptyGrid(svg, grid) {
  const {ranks, size, left, top} = grid, every = Math.ceil(letters(20) / size);
  for (let i = 0; i < ranks; i += every) {
    const at = (i + 0.5) * size;
    add(svg, "text", {class: "middle", x: left + at, y: top - 6, style: `font-size: ${letters(13)}px`}, String(i));
    add(svg, "text", {class: "end", x: left - 5, y: top + at + 4, style: `font-size: ${letters(13)}px`}, String(i));
  }
  add(svg, "text", {x: 0, y: 16, style: `font-size: ${letters(11)}px`}, "rank ↓  chunk →");
  add(svg, "rect", {class: "cell-back", x: left, y: top, width: GRID.side, height: GRID.side});
  const cells = [], words = [];
  for (let r = 0; r < ranks; ++r) {
    for (let c = 0; c < ranks; ++c) {
      const [x, y] = grid.at(r, c), w = (size - 1).toFixed(1);
      cells.push(add(svg, "rect", {class: "cell", x: (x + 0.5).toFixed(1), y: (y + 0.5).toFixed(1), width: w, height: w, "data-rank": r, "data-chunk": c}));
      if (grid.numbers) words.push(add(svg, "text", {class: "middle ink", x: x + size / 2, y: y + size * (grid.strips ? 0.42 : 0.5) + Math.min(letters(15), size * 0.5) * 0.36, "pointer-events": "none",
                                                     style: `font-size: ${Math.min(letters(15), size * 0.5).toFixed(1)}px`}));
    }
  }
  return {cells, words};
}

// Outlines the cells that the messages change.
function drawChanged(parent, grid, messages) {
  const paths = {add: "", over: ""}, {size, ranks} = grid, inset = Math.min(1.5, size / 6);
  for (const [, to, first, count, adds, , , stride] of messages) {
    for (const [chunk, chunks] of runsOf(first, count, stride, ranks)) {
      const [x, y] = grid.at(to, chunk), [w, h] = [(chunks * size - 2 * inset).toFixed(1), (size - 2 * inset).toFixed(1)];
      paths[adds ? "add" : "over"] += `M${(x + inset).toFixed(1)},${(y + inset).toFixed(1)}h${w}v${h}h-${w}z`;
    }
  }
  for (const [kind, d] of Object.entries(paths)) if (d) add(parent, "path", {class: `changed ${kind}`, d});
}

// What cell of a run holds, in words.
function cellText(run, step, rank, chunk, explanation) {
  const ranks = run.chunks.length, id = statesOf(run)[step][rank * ranks + chunk];
  if (id < 0) return [`Rank ${rank} holds nothing of chunk ${chunk}.`];
  const all = contributors(run, id), place = `Rank ${rank}, chunk ${chunk} (${plural(run.chunks[chunk], "element")}), ${all.length} of ${ranks} contributions`;
  const sum = ranks <= MOST_STRIPS ? `: ${all.map(numberOf).join(" + ")} = ${sumOf(all)}` : "";
  const again = all.filter((one, i) => all.indexOf(one) < i);
  const wrong = again.length ? ` Rank ${unique(again).join(", ")} is in it twice.` : "";
  if (precomputed || !explanation) return [`${place}${sum}.${wrong}`];
  const whose = new Set(all).size === ranks ? "all ranks" : `rank${all.length === 1 ? "" : "s"} ${all.join(", ")}`;
  return [`${place}${sum}.${wrong} They are of ${whose}; added as `, ask("explain", {...explanation(), id}).bracketing];
}

// A grid that follows the steps. paint(at) shows step floor(at), and on the way to the next one its messages.
// onChunk(chunk) is called on a click in its column, or by keys; makeRequest() makes the request that explains a sum.
function holdingsPanel(parent, run, title, {onChunk = null, makeRequest = null} = {}) {
  const {figure} = panel(parent, title, "tall"), ranks = run.chunks.length, states = statesOf(run), grid = gridOf(ranks);
  const svg = add(figure, "svg", {role: onChunk ? "group" : "img", class: "holdings", viewBox: `0 0 ${GRID.left + GRID.side + 6} ${GRID.top + GRID.side + 6}`, "aria-label": title});
  const {cells, words} = drawEmptyGrid(svg, grid);
  const [strips, marks, moving] = [0, 1, 2].map(() => add(svg, "g", {"pointer-events": "none"}));
  contributionsLegend(figure, ranks);
  const held = add(figure, "p", {class: "quiet held"}, "Point at a cell to see whose contributions it holds and how they were added.");

  let shown = null, tokens = [], moved = null;
  const paintCells = (step) => {
    const now = states[step], before = shown === null ? null : states[shown];
    for (let i = 0; i < now.length; ++i) {
      if (before && before[i] === now[i]) continue;
      const all = contributors(run, now[i]), whole = isWhole(run, now[i]), twice = Object.hasOwn(run.repeated, now[i]);
      cells[i].setAttribute("class", `cell${whole ? " complete" : ""}${twice ? " twice" : ""}`);
      cells[i].setAttribute("fill-opacity", twice ? 1 : grid.strips ? whole ? 0.22 : 0 : whole ? 1 : (0.12 * Math.sign(all.length) + 0.48 * all.length / ranks).toFixed(2));
      if (!grid.numbers) continue;
      words[i].textContent = all.length === 0 ? "" : grid.strips ? sumOf(all) : all.length;
      words[i].setAttribute("class", `middle ink${twice ? " twice" : ""}${whole && !grid.strips ? " numbers-full" : ""}`);
    }
  };
  const paintStrips = (step) => {
    strips.replaceChildren();
    if (!grid.strips) return;
    const paths = [], twice = [];
    add(strips, "path", {class: "slots", d: Array.from(states[step], (_, i) => slotsPath(grid.barIn(...grid.at(Math.floor(i / ranks), i % ranks)))).join("")});
    states[step].forEach((id, i) => addStrips(paths, contributors(run, id), ranks, grid.barIn(...grid.at(Math.floor(i / ranks), i % ranks)), twice));
    drawStrips(strips, paths);
    if (twice.length) add(strips, "path", {class: "repeated", d: twice.join("")});
  };
  const paint = (at) => {
    const step = Math.floor(at), part = at - step, coming = part > 0 ? step + 1 : 0;
    if (shown !== step) {
      paintCells(step);
      paintStrips(step);
    }
    if (shown !== step || moved !== coming) {
      moving.replaceChildren();
      marks.replaceChildren();
      const messages = run.steps[(coming || step) - 1]?.messages ?? [];
      drawChanged(marks, grid, messages);
      tokens = coming ? gridTokens(moving, run, grid, messages) : [];
      svg.setAttribute("aria-label", `${title} ${coming ? "during" : "after"} step ${coming || step}. ${stepText(run, coming || step)}`);
    }
    [shown, moved] = [step, coming];
    for (const {node, dy} of tokens) node.setAttribute("transform", `translate(0 ${(dy * travelled(part)).toFixed(1)})`);
  };
  svg.addEventListener("pointerover", ({target}) => {
    const {rank, chunk} = target.dataset ?? {};
    if (rank === undefined || shown === null) return;
    const [text, code] = cellText(run, shown, Number(rank), Number(chunk), makeRequest);
    held.textContent = text;
    if (code) add(held, "code", {}, code);
  });
  if (onChunk) {
    svg.classList.add("clickable");
    svg.addEventListener("click", ({target}) => target.dataset.chunk !== undefined && onChunk(Number(target.dataset.chunk)));
    for (let chunk = 0; chunk < ranks; ++chunk) {
      const column = add(svg, "rect", {class: "column", x: GRID.left + chunk * grid.size, y: GRID.top, width: grid.size, height: GRID.side, tabindex: 0, role: "button", "aria-label": `chunk ${chunk}`, "pointer-events": "none"});
      onPress(column, () => onChunk(chunk));
    }
  }
  return {paint, svg, figure};
}
