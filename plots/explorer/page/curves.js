// --- Crossover: time against size for all algorithms, with adjustable parameters -------------------------------------------------

const SIZES_SHOWN = Array.from({length: 11}, (_, i) => 64 * 4 ** i);  // 64 B to 64 MiB

// A logarithmic slider, with an optional 0 at its left end. change(number) is called on input.
function factorSlider(parent, name, {low, high, value, text, zero = false, change}) {
  const label = add(parent, "label"), steps = 200;
  add(label, "span", {}, name);
  const input = add(label, "input", {type: "range", min: 0, max: steps, step: 1, "aria-label": name}), output = add(label, "output");
  const valueAt = (at) => zero && at === 0 ? 0 : Number((low * (high / low) ** (at / steps)).toPrecision(3));
  input.value = value <= 0 ? 0 : Math.round(steps * Math.log(Math.max(low, value) / low) / Math.log(high / low));
  output.textContent = text(value);
  input.setAttribute("aria-valuetext", text(value));
  input.addEventListener("input", () => {
    const now = valueAt(Number(input.value));
    output.textContent = text(now);
    input.setAttribute("aria-valuetext", text(now));
    change(now);
  });
  return input;
}
const SLIDER_OF = {time: {low: 1e3, high: 1e9, text: picoText}, time_per_byte: {low: 0.1, high: 1e5, text: rateText},
                   number: {low: 1, high: 1e6, text: (x) => String(Math.round(x))}, bytes: {low: 1, high: 2 ** 30, text: (bytes) => bytes === 0 ? "0" : sizeText(bytes)}};
function parameterSliders(parent, change) {
  parent.classList.add("sliders");
  for (const {name, unit, fallback, help} of modelNow().parameters) {
    const slider = factorSlider(parent, name, {...(SLIDER_OF[unit] ?? SLIDER_OF.number), zero: true, value: state.parameters[name] ?? fallback, change(value) {
      if (value === fallback) delete state.parameters[name];
      else state.parameters[name] = value;
      change();
    }});
    slider.title = help;
    slider.dataset.parameter = name;
    slider.disabled = Boolean(precomputed);
  }
}

function curvesView(view) {
  view.classList.add("wide");
  const {figure} = panel(view, "Simulated time against the size of the vector");
  const svg = add(figure, "svg", {class: "curves", role: "img"});
  const words = add(figure, "p", {id: "winners", "aria-live": "polite"}), table = add(add(figure, "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Times"}), "table", {class: "values"});
  const sliders = add(view, "figure"), list = add(sliders, "div", {class: "sliders", id: "curve-sliders"});
  add(sliders, "p", {class: "quiet"}, (precomputed ? "Sliders need the engine, which this page does not contain." :
    "Move a slider to simulate every point again.") + " The dashed line is the vector size chosen above.");
  const again = () => { fillControls(); draw(); writeLink(); };
  parameterSliders(list, again);
  const ranks = factorSlider(list, "P (ranks)", {low: 2, high: 64, value: state.ranks, text: String, change(value) { state.ranks = Math.round(value); state.root = 0; again(); }});
  ranks.parentNode.querySelector("output").textContent = state.ranks;
  ranks.addEventListener("input", () => ranks.parentNode.querySelector("output").textContent = state.ranks);
  ranks.id = "curve-ranks";
  ranks.disabled = Boolean(precomputed);
  const elements = factorSlider(list, "n (elements)", {low: 16, high: 2 ** 24, value: state.elements, text: (n) => Math.round(n).toLocaleString("en"), change(value) { state.elements = Math.round(value); again(); }});
  elements.id = "curve-elements";
  elements.disabled = Boolean(precomputed);

  function draw() {
    const started = performance.now(), series = curvesOf(SIZES_SHOWN, {segments: state.segments});
    svg.dataset.ms = (performance.now() - started).toFixed(1);
    const width = Math.max(330, figure.clientWidth - 24), height = Math.min(400, Math.max(300, width * 0.46)), narrow = width < 480;
    const lines = series.map(({name, times}) => ({...algorithmNamed(name), times})).filter(({times}) => times.every((time) => time > 0));
    const all = lines.flatMap(({times}) => times), [low, high] = [Math.min(...all) / 1.3, Math.max(...all) * 1.3];
    const box = {left: 62, right: width - (narrow ? 124 : 120), top: 10, bottom: height - 42};
    const x = (bytes) => box.left + (box.right - box.left) * Math.log(bytes / SIZES_SHOWN[0]) / Math.log(SIZES_SHOWN.at(-1) / SIZES_SHOWN[0]);
    const y = (time) => box.bottom - (box.bottom - box.top) * Math.log(time / low) / Math.log(high / low);
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    SIZES_SHOWN.forEach((bytes, i) => {
      add(svg, "path", {class: "grid", d: `M${x(bytes)},${box.top}V${box.bottom}`});
      if (i % (narrow ? 4 : 2) === 0) add(svg, "text", {class: "middle", x: x(bytes), y: box.bottom + 17}, sizeText(bytes));
    });
    add(svg, "text", {class: "middle", x: (box.left + box.right) / 2, y: height - 6}, "bytes per rank");
    for (let e = Math.ceil(Math.log10(low)); e <= Math.log10(high); ++e) {
      add(svg, "path", {class: "grid", d: `M${box.left},${y(10 ** e)}H${box.right}`});
      add(svg, "text", {class: "end", x: box.left - 6, y: y(10 ** e) + 4}, picoText(10 ** e));
    }
    const bytes = Math.max(SIZES_SHOWN[0], Math.min(SIZES_SHOWN.at(-1), 4 * state.elements));
    add(svg, "path", {class: "guide", d: `M${x(bytes)},${box.top}V${box.bottom}`});
    lines.sort((a, b) => a.times.at(-1) - b.times.at(-1));
    lines.forEach((line, i) => {
      const group = tone(add(svg, "g", {"data-name": line.name}), line.color);
      const hiding = lines.slice(i + 1).filter((other) => other.times.every((time, k) => Math.abs(Math.log(time / line.times[k])) < 1e-6)).length;
      add(group, "path", {class: "line", style: `stroke-width: ${2.5 + 3 * hiding}`, d: line.times.map((time, k) => `${k ? "L" : "M"}${x(SIZES_SHOWN[k]).toFixed(1)},${y(time).toFixed(1)}`).join("")});
    });
    const places = apart(lines.map(({times}) => y(times.at(-1))), 14, box.top);
    lines.forEach((line, i) => {
      const group = tone(add(svg, "g"), line.color);
      add(group, "path", {class: "line", style: "stroke-width: .8", d: `M${box.right},${y(line.times.at(-1)).toFixed(1)}L${box.right + 10},${places[i].toFixed(1)}`});
      add(group, "text", {class: "name", x: box.right + 13, y: (places[i] + 4).toFixed(1), style: narrow ? "font-size: 11px" : ""}, line.label);
    });
    const much = series.filter(({times}) => times.includes("too many")).map(({name}) => algorithmNamed(name).label);
    const said = winnersText(lines) + (much.length ? ` Left out, since they send too many messages for a page: ${much.join(", ")}.` : "");
    words.textContent = said;
    svg.setAttribute("aria-label", `Simulated time against size. ${said}`);
    fillValues(table, lines);
  }
  new ResizeObserver(() => requestAnimationFrame(() => figure.isConnected && draw())).observe(figure);
  draw();
  return {last: 0, unit: "", show: () => ""};
}

// Moves places, from the bottom up, until they are `gap` apart and none is above `top`.
function apart(wanted, gap, top) {
  const places = [];
  for (const place of wanted) places.push(Math.min(place, (places.at(-1) ?? Infinity) - gap));
  for (let i = places.length - 1, min = top; i >= 0; --i, min = places[i + 1] + gap) places[i] = Math.max(places[i], min);
  return places;
}

// Names the fastest algorithm at each size, such as "Butterfly up to 64 KiB, then Round robin". Ties are named together.
function winnersText(lines) {
  const spans = [];
  SIZES_SHOWN.forEach((bytes, i) => {
    const best = Math.min(...lines.map(({times}) => times[i]));
    const names = lines.filter(({times}) => times[i] <= best * (1 + 1e-6)).map(({label}) => label).sort();
    const common = spans.at(-1)?.names.filter((name) => names.includes(name)) ?? [];
    if (common.length) Object.assign(spans.at(-1), {names: common, last: bytes});
    else spans.push({names, last: bytes});
  });
  const said = spans.map(({names, last}, i) => {
    const who = names.join(" or ");
    return spans.length === 1 ? `${who} at every size` : i === spans.length - 1 ? `then ${who}` : `${who} up to ${sizeText(last)}`;
  });
  return `Fastest on ${plural(state.ranks, "rank")}: ${said.join(", ")}.`;
}

function fillValues(table, lines) {
  table.replaceChildren();
  const head = add(add(table, "thead"), "tr"), body = add(table, "tbody"), shown = innerWidth < 500 ? [3, 7, 10] : [0, 3, 5, 7, 10];
  add(head, "th", {scope: "col"}, "");
  for (const i of shown) add(head, "th", {scope: "col", class: "number"}, sizeText(SIZES_SHOWN[i]));
  for (const line of lines) {
    const row = add(body, "tr");
    add(row, "th", {scope: "row"}, line.label);
    for (const i of shown) add(row, "td", {class: "number"}, picoText(line.times[i]));
  }
}
