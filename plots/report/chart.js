// --- Charts -----------------------------------------------------------------------------------------------------------

const MARKS = ["M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "M-3.5,-3.5h7v7h-7z", "M0,-4.6l4.2,7.6h-8.4z", "M0,-5l5,5l-5,5l-5,-5z",
               "M0,4.6l4.2,-7.6h-8.4z", "M-1.6,-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z"];

// Places for ascending positions at least `gap` apart within low..high; touching neighbors become one block.
function spread(wanted, gap, low, high) {
  const blocks = [];
  for (let center of wanted) {
    for (let members = 1;;) {
      const half = gap * (members - 1) / 2, before = blocks.at(-1);
      center = Math.max(Math.min(center, high - half), low + half);
      if (!before || center - half - (before.center + gap * (before.members - 1) / 2) >= gap) {
        blocks.push({center, members});
        break;
      }
      blocks.pop();
      center = (before.center * before.members + center * members) / (before.members + members);
      members += before.members;
    }
  }
  const places = ({center, members}) => Array.from({length: members}, (_, i) => center + gap * (i - (members - 1) / 2));
  return blocks.flatMap(places);
}

// Values to name on a logarithmic axis: powers of two before others, the largest first, none too near.
function xTicks(xs, most) {
  const gap = 0.999 * Math.log2(xs.at(-1) / xs[0]) / Math.max(1, most), power = (value) => Number.isInteger(Math.log2(value));
  const named = [];
  for (const value of [...xs].sort((a, b) => power(b) - power(a) || b - a))
    if (named.every((other) => Math.abs(Math.log2(value / other)) >= gap)) named.push(value);
  return ascending(named);
}

function yTicks(low, high) {
  const steps = high < 100 * low ? [1, 2, 5] : [1];
  const decades = Array.from({length: 30}, (_, i) => i - 12);
  return decades.flatMap((e) => steps.map((step) => step * 10 ** e)).filter((value) => value >= low && value <= high);
}

function limits(slice) {
  const times = slice.series.flatMap(({points}) => points)
    .flatMap(({time, ci95, modelled, bound}) => [time, ...(ci95 ?? []), modelled ?? time, bound ?? time]);
  const [low, high] = [Math.min(...times), Math.max(...times)], pad = Math.max(1.15, (high / low) ** 0.05);
  return [low / pad, high * pad];
}

function draw(figure, slice, markOf) {
  figure.querySelectorAll("svg, .values").forEach((node) => node.remove());
  const width = Math.max(280, figure.querySelector("figcaption").clientWidth), height = width < 480 ? 330 : 390;
  const most = width < 480 ? 13 : 18;
  const short = (label) => label.length > most ? `${label.slice(0, most - 1)}…` : label;
  const narrow = width < 480, pen = document.createElement("canvas").getContext("2d");
  pen.font = `600 ${narrow ? 11 : 12}px system-ui, "DejaVu Sans", sans-serif`;
  const names = Math.max(...slice.series.map(({label}) => pen.measureText(short(label)).width));
  const box = {left: narrow ? 48 : 58, right: width - names - 24, top: 12, bottom: height - 46};
  const [low, high] = limits(slice), [first, last] = [slice.xs[0], slice.xs.at(-1)];
  const x = (value) => box.left + 10 + (box.right - box.left - 20) * Math.log(value / first) / Math.log(last / first);
  const y = (value) => box.bottom - (box.bottom - box.top) * Math.log(value / low) / Math.log(high / low);
  const xText = slice.over === "bytes" ? sizeText : (value) => value.toLocaleString("en");
  const svg = add(figure, "svg", {viewBox: `0 0 ${width} ${height}`, class: narrow ? "narrow" : "", role: "img", tabindex: 0,
                                  "aria-label": `${slice.base ? `Time relative to ${slice.base}` : "Time"} against ${slice.over}. ${sentence(slice)}`});

  for (const value of xTicks(slice.xs, Math.floor((box.right - box.left) / (narrow ? 52 : 58)))) {
    add(svg, "path", {class: "grid", d: `M${x(value)},${box.top}V${box.bottom}`});
    add(svg, "text", {x: x(value), y: box.bottom + 17, "text-anchor": "middle"}, xText(value));
  }
  for (const value of yTicks(low, high)) {
    add(svg, "path", {class: "grid", d: `M${box.left},${y(value)}H${box.right}`});
    add(svg, "text", {x: box.left - 7, y: y(value) + 4, "text-anchor": "end"}, valueText(slice)(value));
  }
  add(svg, "text", {x: (box.left + box.right) / 2, y: height - 8, "text-anchor": "middle"}, slice.over);
  drawBound(svg, slice, x, y);
  drawLines(svg, slice, x, y, markOf);
  drawNames(svg, slice, x, y, box, short);
  const guide = add(svg, "path", {class: "guide", d: "", "pointer-events": "none"});
  const point = (value) => guide.setAttribute("d", `M${x(value)},${box.top}V${box.bottom}`);
  follow(figure, svg, slice, point, x, width);
}

// The same, where each time is divided by that of one series at the same place.
function ratios(slice, base) {
  const at = new Map(slice.series.find(({label}) => label === base)?.points.map((p) => [p.x, p.time]) ?? []);
  const part = (value, x) => value === null ? null : value / at.get(x);
  const series = slice.series.map(({points, ...line}) => ({...line, points: points.filter((p) => at.has(p.x)).map((p) => {
    return {x: p.x, time: part(p.time, p.x), ci95: p.ci95?.map((end) => part(end, p.x)) ?? null, modelled: part(p.modelled, p.x), bound: part(p.bound, p.x)};
  })})).filter(({points}) => points.length);
  return {...slice, series, base, xs: ascending(series.flatMap(({points}) => points.map(({x}) => x)))};
}
const ratioText = (value) => `${Number(value.toPrecision(3))}×`;
const valueText = (slice) => slice.base ? ratioText : timeText;

const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");

// The time that no run can beat, where the records have one.
function drawBound(svg, slice, x, y) {
  const at = new Map(slice.series.flatMap(({points}) => points).filter((p) => p.bound !== null).map((p) => [p.x, p.bound]));
  const places = ascending([...at.keys()]).map((value) => [x(value), y(at.get(value))]);
  if (!places.length) return;
  add(svg, "path", {class: "bound", d: path(places)});
  add(svg, "text", {class: "bound-name", x: places[0][0] + 4, y: places[0][1] - 5}, "bound");
}

function drawLines(svg, slice, x, y, markOf) {
  slice.series.forEach(({label, color, points}, i) => {
    const group = tone(add(svg, "g", {"data-label": label}), color);
    const banded = points.filter((p) => p.ci95), modelled = points.filter((p) => p.modelled !== null);
    if (banded.length) {
      const rim = (side) => banded.map((p) => [x(p.x), y(p.ci95[side])]);
      add(group, "path", {class: "band", d: `${path([...rim(0), ...rim(1).reverse()])}Z`});
    }
    if (modelled.length) add(group, "path", {class: "model", d: path(modelled.map((p) => [x(p.x), y(p.modelled)]))});
    const same = (other) => JSON.stringify(other.points) === JSON.stringify(points);
    const hiding = slice.series.slice(i + 1).filter(same).length;  // coinciding lines show as a rim
    const places = points.map((p) => [x(p.x), y(p.time)]);
    add(group, "path", {class: "line", "stroke-width": 2 + 2.5 * hiding, d: path(places)});
    for (const [left, top] of places) {
      add(group, "path", {class: "mark", transform: `translate(${left.toFixed(1)},${top.toFixed(1)})`, d: markOf(label)});
    }
  });
}

function drawNames(svg, slice, x, y, box, short) {
  const ends = slice.series.map(({label, color, points}) => {
    return {label, color, x: x(points.at(-1).x), y: y(points.at(-1).time)};
  });
  ends.sort((a, b) => a.y - b.y || (a.label < b.label ? -1 : 1));
  const places = spread(ends.map((end) => end.y), 15, box.top, box.bottom);
  ends.forEach((end, i) => {
    const group = tone(add(svg, "g", {class: "choice"}), end.color);
    if (!slice.plain) group.addEventListener("click", () => isolate(end.label));
    const leader = [[end.x + 6, end.y], [box.right + 6, places[i]], [box.right + 13, places[i]]];
    add(group, "path", {class: "leader", d: path(leader)});
    add(group, "text", {class: "name", x: box.right + 17, y: places[i] + 4}, short(end.label));
  });
}

// The values below the chart: at the pointer, or at the x that the arrow keys choose; first at the last x.
function follow(figure, svg, slice, guide, x, width) {
  const values = add(figure, "table", {class: "values", "aria-live": "polite"});
  const heads = add(add(values, "thead"), "tr"), body = add(values, "tbody");
  const [at, ...others] = ["", "time", `${shareOf(slice)} interval`, "model"].map((head) => add(heads, "th", {scope: "col"}, head));
  const seen = [true, slice.series.some((line) => line.points.some((p) => p.ci95)),
                slice.series.some((line) => line.points.some((p) => p.modelled !== null))];
  others.forEach((head, i) => head.hidden = !seen[i]);
  let chosen;
  const choose = (index) => {
    chosen = index;
    guide(slice.xs[index]);
    at.textContent = `at ${(slice.over === "bytes" ? sizeText : ranksText)(slice.xs[index])}`;
    body.replaceChildren();
    const rows = slice.series.map(({points, ...line}) => ({...line, point: points.find((p) => p.x === slice.xs[index])}));
    const order = ({point: a}, {point: b}) => (a?.time ?? Number.MAX_VALUE) - (b?.time ?? Number.MAX_VALUE);
    for (const {label, color, point} of rows.sort(order)) {
      const row = add(body, "tr"), head = add(row, "th", {scope: "row", title: label});
      tone(add(head, "span", {class: "swatch"}), color);
      head.append(label);
      const show = valueText(slice), range = ([low, high]) => slice.base ? `${show(low)} – ${show(high)}` : rangeText([low, high]);
      const cells = [point ? show(point.time) : "–", point?.ci95 ? range(point.ci95) : "",
                     (point?.modelled ?? null) !== null ? show(point.modelled) : ""];
      cells.forEach((text, i) => seen[i] && add(row, "td", {}, text));
    }
  };
  choose(slice.xs.length - 1);
  svg.addEventListener("pointermove", (event) => {
    const shown = svg.getBoundingClientRect(), at = (event.clientX - shown.left) * width / shown.width;
    const away = slice.xs.map((value) => Math.abs(x(value) - at));
    choose(away.indexOf(Math.min(...away)));
  });
  svg.addEventListener("keydown", (event) => {
    const move = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!move) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(slice.xs.length - 1, chosen + move)));
  });
}

// Redraws the figure whenever its width has changed. Returns a function that does so now.
function fitted(figure, redraw) {
  let width = 0;
  const fit = () => {
    if (figure.clientWidth === width) return;
    width = figure.clientWidth;
    redraw();
  };
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(figure);
  return fit;
}

// Adds a figure and returns a function that draws it, to call when all figures have their places.
function chart(over, title) {
  const figure = add(byId("charts"), "figure", {id: `time-against-${over}`});
  const caption = add(figure, "figcaption");
  add(caption, "h3", {}, title);
  const measuredFirst = (a, b) => over === "bytes" ? (b.kind === "run") - (a.kind === "run") : 0;
  const slices = slicesOver(over).filter((slice) => slice.xs.length > 1);
  slices.sort((a, b) => measuredFirst(a, b) || better(a, b));
  if (!slices.length) {
    const missing = over === "bytes" ? "sizes" : "rank counts";
    add(figure, "p", {class: "quiet"}, `No measured or simulated records of two ${missing}.`);
    return () => {};
  }
  const labels = unique(data.records.map(labelOf)).sort();
  const markOf = (label) => MARKS[labels.indexOf(label) % MARKS.length];
  let shown = slices[0];
  const base = document.createElement("select");
  base.className = "base";
  base.ariaLabel = `${title}: times, or relative to one of them`;
  const redraw = () => draw(figure, base.value === "" ? shown : ratios(shown, base.value), markOf);
  const offer = () => {
    const before = base.value;
    base.replaceChildren();
    add(base, "option", {value: ""}, "times");
    for (const {label} of shown.series) add(base, "option", {value: label}, `relative to ${label}`);
    base.value = shown.series.some(({label}) => label === before) ? before : "";
  };
  offer();
  base.addEventListener("change", redraw);
  if (slices.length > 1) {
    const select = add(caption, "select", {"aria-label": `${title}: which records`});
    slices.forEach((slice, i) => add(select, "option", {value: i}, nameOf(slice)));
    select.addEventListener("change", () => { shown = slices[Number(select.value)]; offer(); redraw(); });
  } else add(caption, "span", {class: "quiet"}, nameOf(shown));
  caption.append(base);
  addSvgButton(caption, figure);
  return fitted(figure, redraw);
}
