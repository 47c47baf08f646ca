// --- Training: how schedulers overlap communication with computation --------------------------------

const training = {layers: 12, forward: 1e10, elements: 2 ** 20, alpha: 5e7, beta: 800, scheduler: ""};

// Gradients grow toward the output, as in most convolutional networks. The backward pass takes twice as long as the forward pass.
function layersNow() {
  const {layers, forward, elements} = training, weight = (i) => 2 * (i + 1) / (layers + 1);
  return Array.from({length: layers}, (_, i) => [Math.round(forward / layers), Math.round(2 * forward / layers), Math.round(elements * weight(i))]);
}
const trainedWith = (scheduler) => ask("train", {layers: layersNow(), scheduler, alpha: Math.round(training.alpha), beta: Math.round(training.beta)});

function trainView(view) {
  const nothing = {last: 0, unit: "", show: () => ""};
  if (precomputed) {
    add(add(view, "figure"), "p", {}, `Schedules need the engine, which this page does not contain. For a page with it: ${howToGetEngine}.`);
    return nothing;
  }
  view.classList.add("wide");
  const main = add(view, "div"), side = add(view, "figure"), list = add(side, "div", {class: "sliders", id: "train-sliders"});
  const slider = (key, name, options) => factorSlider(list, name, {...options, value: training[key], change(value) { training[key] = value; draw(); }});
  slider("layers", "layers", {low: 2, high: 60, text: (n) => String(Math.round(n))}).addEventListener("input", () => training.layers = Math.round(training.layers));
  slider("forward", "forward pass", {low: 1e8, high: 1e12, text: picoText});
  slider("elements", "layer size", {low: 2 ** 10, high: 2 ** 26, text: (n) => sizeText(4 * Math.round(n))});
  slider("alpha", "alpha", {low: 1e5, high: 1e10, zero: true, text: picoText});
  slider("beta", "beta", {low: 10, high: 1e5, zero: true, text: rateText});
  add(side, "p", {class: "quiet"}, "An allreduce of n bytes occupies the link for alpha + n beta. Choose a row to see its timeline.");
  const table = add(add(side, "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Schedules"}), "table", {class: "values", id: "schedulers"});

  function draw() {
    training.layers = Math.round(training.layers);
    const rows = catalog.schedulers.map((kind) => ({...kind, ...trainedWith(kind.name)})).sort((a, b) => a.period - b.period);
    const chosen = rows.find(({name}) => name === training.scheduler) ?? rows[0], slowest = rows.at(-1);
    table.replaceChildren();
    const head = add(add(table, "thead"), "tr"), body = add(table, "tbody");
    for (const text of ["schedule", "time per step", "computing"]) add(head, "th", {scope: "col"}, text);
    for (const {name, idea, period, computation} of rows) {
      const row = add(body, "tr"), button = add(add(row, "th", {scope: "row"}), "button", {type: "button", title: idea, "aria-pressed": String(name === chosen.name)}, name);
      button.addEventListener("click", () => { training.scheduler = name; draw(); });
      add(row, "td", {}, picoText(Math.round(period)));
      add(row, "td", {}, `${Math.round(100 * computation / period)}%`);
    }
    main.replaceChildren();
    const shown = chosen.name === slowest.name ? [chosen] : [chosen, slowest], steps = [4, 5];
    const lengths = shown.map(({works}) => spanOf(works, steps)).map(([begin, end]) => end - begin), end = Math.max(...lengths);
    for (const one of shown) overlap(main, one, steps, end);
  }
  draw();
  return nothing;
}

// Returns begin and end of the steps.
function spanOf(works, steps) {
  const inside = works.filter(([, step]) => steps.includes(step));
  return [Math.min(...inside.map((work) => work[4])), Math.max(...inside.map((work) => work[5]))];
}

// Draws two steps: computation above, the link below, one shade per step.
function overlap(parent, {name, idea, period, exposed, works}, steps, length) {
  const {figure} = panel(parent, `${name}: ${picoText(Math.round(period))} per step, of which ${picoText(Math.round(exposed))} waiting for the link`);
  const width = Math.max(330, figure.clientWidth - 24), left = 62, row = 44, height = 2 * row + 34;
  const [from] = spanOf(works, steps), x = (time) => left + (width - left - 10) * (time - from) / length;
  const svg = add(figure, "svg", {viewBox: `0 0 ${width} ${height}`, role: "img", class: "overlap", "aria-label": `${name}: ${idea}`});
  for (const tick of niceTicks(length, 5)) {
    add(svg, "path", {class: "grid", d: `M${x(from + tick).toFixed(1)},4v${2 * row}`});
    add(svg, "text", {class: x(from + tick) > width - 40 ? "end" : "middle", x: x(from + tick).toFixed(1), y: height - 8}, picoText(tick));
  }
  ["compute", "link"].forEach((text, i) => add(svg, "text", {class: "end", x: left - 6, y: 4 + i * row + row / 2}, text));
  const classes = ["span-receive", "span-send", "span-reduce"], words = ["forward", "backward", "message"];
  for (const [kind, step, layer, bytes, begin, end] of works) {
    if (!steps.includes(step)) continue;
    const box = add(svg, "rect", {class: classes[kind], x: x(begin).toFixed(1), y: 6 + (kind === 2 ? row : 0), width: Math.max(0.5, x(end) - x(begin) - 0.8).toFixed(1),
                                  height: row - 6, "fill-opacity": step === steps[0] ? 1 : 0.6});
    add(box, "title", {}, `${words[kind]} of layer ${layer + 1}, step ${step + 1}${kind === 2 ? `, ${sizeText(bytes)}` : ""}: ${picoText(begin - from)} to ${picoText(end - from)}`);
    if (x(end) - x(begin) > 18) add(svg, "text", {class: "middle busy", x: ((x(begin) + x(end)) / 2).toFixed(1), y: 6 + (kind === 2 ? row : 0) + row / 2, "pointer-events": "none"}, String(layer + 1));
  }
  legend(figure, [["--in", "forward"], ["--out", "backward"], ["--add", "gradients on the link"]]);
  add(figure, "p", {class: "quiet"}, sentenceOf(idea));
}
