// Training: what `arlab plan` and `arlab train` wrote, as sentences and charts; as plots/charts/planned.py and training.py have it.

const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7b4fb5", "#a6761d", "#4d9221", "#c51b7d"];
const OF_TRAINING = {plan: {first: ["device", "network", "strategy", "scheduler", "compressor", "batch_per_worker", "servers"], then: ["algorithm"], fallback: "network", at: "ranks"},
  train: {first: [TEAM, "backend", "topology", "bandwidth_gbit_per_s", "algorithm", "compressor", "scheduler", "host", "date"],
          then: ["aggregation", "servers", "batch_size", "optimizer", "learning_rate", "overlap", "latency_us", "multiply_adds_per_s", "slowdown", "jitter",
                 "codec_ns_per_element", "dtype", "segments", "data", "seed", "gradients"], fallback: TEAM, at: ""}};
OF_TRAINING.replay = {...OF_TRAINING.train, then: ["network", "device", "batch_per_worker", ...OF_TRAINING.train.then]};
const namesOfRuns = (rows) => { const {first, then, fallback, at} = OF_TRAINING[rows[0].kind]; return rowNames(rows, first, then, fallback, at); };

// {whole, input, exposed} of a step in microseconds, as the tables of the program have it; null if the record does not say.
// Records of earlier versions have the parts of a step only by epoch.
function stepOf(record) {
  const total = (key) => record.epochs.reduce((sum, epoch) => sum + (epoch?.[key] ?? NaN), 0);
  let step = {whole: record.step_us, input: record.input_us ?? 0, exposed: record.exposed_us};
  if (record.kind === "train" && !Number.isFinite(record.input_us)) {
    if (!Array.isArray(record.epochs) || !(total("steps") > 0)) return null;
    const each = (key) => total(key) / total("steps");
    step = {whole: each("elapsed_us"), input: each("input_us"), exposed: each("exposed_us")};
  }
  return isTime(step.whole) && step.input >= 0 && step.exposed >= 0 ? step : null;
}

// Runs over one worker, whichever files and jobs they are of: a Map of records to {times, part: of linear, weak}. Either all have the
// same batch, or each worker has. One worker without a strategy is the baseline of all strategies.
const ALONE = "one_device";
function speedUpsOf(rows) {
  const {first, then} = OF_TRAINING.train, found = new Map(), one = (r) => r.workers === 1 && r.images_per_s > 0;
  const alike = [...first.slice(1), "commit", ...then].filter((key) => !["batch_size", "slowdown"].includes(key));
  for (const {records} of separate(rows.filter((r) => isCount(r.workers)), alike)) {
    for (const record of records.filter((r) => r.workers > 1 && r.images_per_s > 0)) {
      const bases = records.filter((r) => one(r) && [record.strategy, ALONE].includes(r.strategy) && [record.batch_size, record.batch_size / record.workers].includes(r.batch_size));
      const base = bases.find((r) => r.strategy === record.strategy) ?? bases[0], times = base && record.images_per_s / base.images_per_s;
      if (base) found.set(record, {times, part: times / record.workers, weak: base.batch_size !== record.batch_size});
    }
  }
  return found;
}

// Runs that are compared with each other: of one kind and model, and of plans those on the most GPUs.
function trainings(records) {
  const runs = records.filter((r) => Object.hasOwn(OF_TRAINING, r.kind) && (r.skipped ?? null) === null && stepOf(r) && (r.kind !== "plan" || isCount(r.ranks)));
  return [...groupBy(runs, (r) => idOf([r.kind, r.model ?? "unnamed model"]))].map(([id, all]) => {
    const [kind, model] = JSON.parse(id), most = Math.max(...all.map((r) => r.ranks));
    const rows = kind === "plan" ? all.filter((r) => r.ranks === most) : all;
    const on = kind === "plan" ? ` on ${plural(most, "GPU")}` : "", how = {plan: "simulated", train: "trained", replay: "replayed"}[kind];
    return {kind, model, all, rows, names: numbered(namesOfRuns(rows)), speedUps: kind === "train" ? speedUpsOf(rows) : new Map(), title: `${model}, ${how}${on}`};
  });
}

const percentText = (part) => `${Math.round(100 * part)}%`;
function savingText({alternatives}) {
  const ways = (Array.isArray(alternatives) ? alternatives : []).filter((way) => Number.isFinite(way?.saves_fraction));
  const best = ways.sort((a, b) => b.saves_fraction - a.saves_fraction)[0];
  return best && best.saves_fraction >= 0.005 ? `; ${best.what} saves ${percentText(best.saves_fraction)}` : "";
}
function factsOf(record, speedUps) {
  const step = stepOf(record), facts = [`a step of ${timeText(step.whole)}`];
  if (record.kind !== "plan") {
    const {times, part} = speedUps?.get(record) ?? {};
    return `${facts[0]}, ${percentText(step.exposed / step.whole)} of it exposed communication${times ? `; speed-up ${times.toFixed(2)}, efficiency ${percentText(part)}` : ""}`;
  }
  if (Number.isFinite(record.efficiency)) facts.push(`efficiency ${percentText(record.efficiency)}`);
  if (record.limit) facts.push(`limited by ${record.limit}`);
  return facts.join(", ") + savingText(record);
}
function trainingSentence({title, rows, names, speedUps}) {
  const at = rows.map((row, i) => [row, names[i]]).sort(([a], [b]) => stepOf(a).whole - stepOf(b).whole);
  const say = ([row, name]) => `${name ? `${name}: ` : ""}${factsOf(row, speedUps)}`;
  if (at.length === 1) return `${title}, ${say(at[0])}.`;
  return `${title}, ${at.length} runs. Fastest, ${say(at[0])}. Slowest, ${say(at.at(-1))}.`;
}

// Adds a figure with a choice of groups, and returns a function that draws the chosen one when the width is known.
function groupFigure(id, title, groups, drawGroup) {
  if (!groups.length) return () => {};
  const figure = add(byId("charts"), "figure", {id}), caption = add(figure, "figcaption");
  add(caption, "h3", {}, title);
  let shown = groups[0];
  addSvgButton(caption, figure);
  const redraw = () => { figure.querySelectorAll("svg, .legend").forEach((node) => node.remove()); drawGroup(figure, shown, Math.max(280, caption.clientWidth)); };
  if (groups.length > 1) {
    const select = add(caption, "select", {"aria-label": `${title}: which runs`});
    groups.forEach((group, i) => add(select, "option", {value: i}, group.title));
    select.addEventListener("change", () => { shown = groups[Number(select.value)]; redraw(); });
  } else add(caption, "span", {class: "quiet"}, shown.title);
  return fitted(figure, redraw);
}

function drawSteps(figure, {title, rows, names, speedUps}, width) {
  const steps = rows.map(stepOf), longest = Math.max(...steps.map(({whole}) => whole)), row = 40, height = rows.length * row + 8;
  const svg = add(figure, "svg", {viewBox: `0 0 ${width} ${height}`, class: width < 480 ? "narrow" : "", role: "img", "aria-label": trainingSentence({title, rows, names, speedUps})});
  rows.forEach((record, i) => {
    const {whole, input, exposed} = steps[i], hidden = Math.min(exposed, whole), waiting = Math.min(input, whole - hidden);
    add(svg, "text", {x: 0, y: i * row + 14, class: "ink"}, `${names[i] ? `${names[i]}: ` : ""}${factsOf(record, speedUps).replace(/^a step of /, "")}`);
    let x = 0;
    for (const [part, kind] of [[whole - hidden - waiting, "computing"], [waiting, "input"], [hidden, "exposed"]]) {
      if (part > 0) add(svg, "rect", {class: kind, x: (x * width / longest).toFixed(2), y: i * row + 20, width: (part * width / longest).toFixed(2), height: 14});
      x += part;
    }
  });
  const legend = add(figure, "p", {class: "quiet legend"});
  for (const [kind, text] of [["computing", "computing"], ["input", "waiting for input"], ["exposed", "exposed communication"]]) {
    if (kind === "input" && !steps.some(({input}) => input > 0)) continue;
    add(legend, "span", {class: `key ${kind}`});
    legend.append(`${text}  `);
  }
}

// Efficiency of plans over the number of GPUs, and of training over that of workers: [label, x, part of linear], and one line per label.
function efficiencies(groups) {
  return groups.map((group) => ({title: group.kind === "plan" ? group.model : group.title, over: group.kind === "plan" ? "GPUs" : "workers", points: efficiencyPoints(group)}))
    .filter(({points}) => new Set(points.map(([, x]) => x)).size > 1);
}
function efficiencyPoints({kind, all, rows, speedUps}) {
  if (kind === "plan") {
    const names = namesOfRuns(all);
    return all.every((r) => Number.isFinite(r.efficiency)) ? all.map((r, i) => [names[i], r.ranks, r.efficiency]) : [];
  }
  const {first, then} = OF_TRAINING.train;
  return [false, true].flatMap((weak) => {
    const runs = rows.filter((r) => speedUps.get(r)?.weak === weak);
    const names = rowNames(runs, ["strategy", ...first.slice(1)], then.filter((key) => key !== "batch_size"), "strategy", "workers");
    return runs.flatMap((r, i) => {
      const label = weak ? `${names[i]}, weak scaling` : names[i];
      return [[label, 1, 1], [label, r.workers, speedUps.get(r).part]];
    });
  });
}
function drawEfficiency(figure, {title, over, points}, width) {
  const lines = new Map(), xs = ascending(points.map(([, x]) => x)), height = 320, narrow = width < 480;
  for (const [label, x, part] of points) lines.set(label, (lines.get(label) ?? new Map()).set(x, 100 * part));
  const series = [...lines].map(([label, at], i) => ({label, color: PALETTE[i % PALETTE.length], points: [...at].sort(([a], [b]) => a - b).map(([x, time]) => ({x, time, ci95: null, modelled: null}))}));
  const high = Math.max(105, ...series.flatMap(({points}) => points.map(({time}) => time)));
  const short = (label) => label.length > (narrow ? 13 : 18) ? `${label.slice(0, narrow ? 12 : 17)}…` : label;
  const box = {left: 44, right: width - Math.max(...series.map(({label}) => short(label).length)) * 7.4 - 24, top: 12, bottom: height - 40};
  const x = (value) => box.left + 10 + (box.right - box.left - 20) * Math.log(value / xs[0]) / Math.log(xs.at(-1) / xs[0]);
  const y = (value) => box.bottom - (box.bottom - box.top) * value / high;
  const svg = add(figure, "svg", {viewBox: `0 0 ${width} ${height}`, class: narrow ? "narrow" : "", role: "img",
    "aria-label": `${title}: efficiency. ${series.map(({label, points}) => `${label}: ${points.map((p) => `${Math.round(p.time)}% on ${p.x}`).join(", ")}`).join("; ")}`});
  for (const value of xTicks(xs, Math.floor((box.right - box.left) / 48))) {
    add(svg, "path", {class: "grid", d: `M${x(value)},${box.top}V${box.bottom}`});
    add(svg, "text", {x: x(value), y: box.bottom + 17, "text-anchor": "middle"}, value.toLocaleString("en"));
  }
  for (let value = 0; value <= high; value += 20 * Math.ceil(high / 120)) {
    add(svg, "path", {class: "grid", d: `M${box.left},${y(value)}H${box.right}`});
    add(svg, "text", {x: box.left - 7, y: y(value) + 4, "text-anchor": "end"}, `${value}%`);
  }
  add(svg, "text", {x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle"}, over);
  const slice = {series, plain: true}, labels = series.map(({label}) => label);
  drawLines(svg, slice, x, y, (label) => MARKS[labels.indexOf(label) % MARKS.length]);
  drawNames(svg, slice, x, y, box, short);
}
