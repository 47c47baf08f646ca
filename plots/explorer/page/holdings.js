// --- Holdings: a grid of ranks by chunks, filled by the number of contributions -------------------------------------------

const GRID = {left: 38, top: 42, side: 480};
// Font sizes: larger on a phone, which scales pictures down.
const letters = (size) => innerWidth < 500 ? size * 1.45 : size;
// A grid that follows the steps and updates only changed cells. onCell(rank, chunk) is called on a click.
function holdingsPanel(parent, run, title, {onCell = null, makeRequest = null} = {}) {
  const {figure} = panel(parent, title, "tall"), ranks = run.chunks.length, states = statesOf(run);
  const size = GRID.side / ranks, {left, top} = GRID, numbers = ranks <= 20;
  const svg = add(figure, "svg", {role: "img", class: "holdings", viewBox: `0 0 ${left + GRID.side + 6} ${top + GRID.side + 6}`, "aria-label": title});
  const every = Math.ceil(letters(19) / size);
  for (let i = 0; i < ranks; i += every) {
    const at = (i + 0.5) * size;
    add(svg, "text", {class: "middle", x: left + at, y: top - 6, style: `font-size: ${letters(11)}px`}, String(i));
    add(svg, "text", {class: "end", x: left - 5, y: top + at + 4, style: `font-size: ${letters(11)}px`}, String(i));
  }
  add(svg, "text", {x: 0, y: 16, style: `font-size: ${letters(11)}px`}, "rank ↓  chunk →");
  add(svg, "rect", {class: "cell-back", x: left, y: top, width: GRID.side, height: GRID.side});
  const cells = [], words = [];
  for (let r = 0; r < ranks; ++r) {
    for (let c = 0; c < ranks; ++c) {
      const x = (left + c * size + 0.5).toFixed(1), y = (top + r * size + 0.5).toFixed(1), w = (size - 1).toFixed(1);
      const cell = add(svg, "rect", {class: "cell", x, y, width: w, height: w});
      cell.dataset.rank = r;
      cell.dataset.chunk = c;
      cells.push(cell);
      if (numbers) words.push(add(svg, "text", {class: "middle ink", x: left + (c + 0.5) * size, y: top + (r + 0.5) * size + 4, "pointer-events": "none",
                                                style: `font-size: ${Math.min(letters(15), size * 0.55).toFixed(1)}px`}));
    }
  }
  const marks = add(svg, "g", {"pointer-events": "none"});
  legend(figure, [["--fill", "part of the sum"], ["--good", "the whole sum"], ...MOVES]);
  const held = add(figure, "p", {class: "quiet held"}, "Point at a cell to see whose contributions it holds and how they were added.");

  let shown = null;
  const paint = (step) => {
    const now = states[step], before = shown === null ? null : states[shown];
    for (let i = 0; i < now.length; ++i) {
      if (before && before[i] === now[i]) continue;
      const count = now[i] < 0 ? 0 : run.contributions[now[i]];
      cells[i].setAttribute("class", count === ranks ? "cell complete" : "cell");
      cells[i].setAttribute("fill-opacity", count === 0 ? 0 : count === ranks ? 1 : (0.12 + 0.48 * count / ranks).toFixed(2));
      if (!numbers) continue;
      words[i].textContent = count || "";
      words[i].classList.toggle("numbers-full", count === ranks);
    }
    shown = step;
    marks.replaceChildren();
    const paths = {add: "", over: ""};
    const inset = Math.min(1.5, size / 6);
    for (const [, to, first, count, adds, , , stride] of step > 0 ? run.steps[step - 1].messages : [])
      for (const [chunk, chunks] of runsOf(first, count, stride, ranks))
        paths[adds ? "add" : "over"] += `M${(left + chunk * size + inset).toFixed(1)},${(top + to * size + inset).toFixed(1)}` +
          `h${(chunks * size - 2 * inset).toFixed(1)}v${(size - 2 * inset).toFixed(1)}h-${(chunks * size - 2 * inset).toFixed(1)}z`;
    for (const [kind, d] of Object.entries(paths)) if (d) add(marks, "path", {class: `changed ${kind}`, d});
    svg.setAttribute("aria-label", `${title} after step ${step}. ${stepText(run, step)}`);
  };
  const explain = (event) => {
    const {rank, chunk} = event.target.dataset ?? {};
    if (rank === undefined || shown === null) return;
    const id = states[shown][Number(rank) * ranks + Number(chunk)];
    if (id < 0) return void(held.textContent = `Rank ${rank} holds nothing of chunk ${chunk}.`);
    const place = `Rank ${rank}, chunk ${chunk} (${plural(run.chunks[chunk], "element")}), ${run.contributions[id]} of ${ranks} contributions`;
    if (precomputed || !makeRequest) return void(held.textContent = `${place}.`);
    const {ranks: whose, bracketing} = ask("explain", {...makeRequest(), id});
    held.textContent = `${place}: of ${whose.length === ranks ? "all ranks" : `rank${whose.length === 1 ? "" : "s"} ${whose.join(", ")}`}; added as `;
    add(held, "code", {}, bracketing);
  };
  svg.addEventListener("pointerover", explain);
  if (onCell) {
    svg.classList.add("clickable");
    svg.addEventListener("click", ({target}) => target.dataset.rank !== undefined && onCell(Number(target.dataset.rank), Number(target.dataset.chunk)));
  }
  return {paint, svg, figure};
}

// The view of steps: the circle and the holdings of one algorithm, or of two side by side.
function stepsView(view) {
  const runs = onView().map((name) => [algorithmNamed(name), runOf(name)]);
  const last = Math.max(...runs.map(([, run]) => run.steps.length));
  const parts = runs.map(([algorithm, run]) => {
    const title = (what) => runs.length > 1 ? `${algorithm.label}: ${what}` : what;
    const column = runs.length > 1 ? add(view, "div") : view;
    const circle = stagePanel(column, title("messages"), render);
    const grid = holdingsPanel(column, run, title("contributions held"), {makeRequest: () => ({...taskOf(algorithm.name), lane: state.lane})});
    return {run, circle, grid, label: algorithm.label};
  });
  view.classList.add("two");
  return {last, unit: "step", show(step) {
    for (const {run, circle, grid} of parts) {
      const own = Math.min(step, run.steps.length);
      circle(own > 0 && step <= run.steps.length ? run.steps[own - 1].messages : []);
      grid.paint(own);
    }
    return parts.map(({run, label}) => {
      const text = step > run.steps.length ? `Done after ${plural(run.steps.length, "step")}.` : stepText(run, step);
      return parts.length > 1 ? `${label}. ${text}` : text;
    }).join(" ");
  }};
}
