// --- A guess by hand: where do two curves cross? -----------------------------------------------------------------------

// Where the second of two curves gets below the first; null if it does not. The times grow by the byte, so that between two sizes
// this is exact.
function crossing(sizes, first, second) {
  for (let i = 1; i < sizes.length; ++i) {
    const [before, after] = [i - 1, i].map((k) => second[k] - first[k]);
    if (before > 0 && after <= 0) return sizes[i - 1] + (sizes[i] - sizes[i - 1]) * before / (before - after);
  }
  return null;
}

// A chart without its curves and a line to drag over it, by hand or by arrow keys. done(guess, size) when it is let go with the
// button. Returns the button.
function crossingPanel(parent, names, ranks, known, done) {
  const {series} = ask("curve", {ranks, sizes: SIZES_SHOWN});
  const [first, second] = names.map((name) => series.find((one) => one.name === name).times), size = crossing(SIZES_SHOWN, first, second);
  const {figure} = panel(parent, `${names.map((name) => algorithmNamed(name).label).join(" and ")} on ${ranks} ranks`, "tall");
  const width = 520, height = 420, box = {left: 66, right: width - 20, top: 16, bottom: height - 46}, all = [...first, ...second];
  const [low, high] = [Math.min(...all) / 1.3, Math.max(...all) * 1.3], span = Math.log(SIZES_SHOWN.at(-1) / SIZES_SHOWN[0]);
  const x = (bytes) => box.left + (box.right - box.left) * Math.log(bytes / SIZES_SHOWN[0]) / span;
  const y = (time) => box.bottom - (box.bottom - box.top) * Math.log(time / low) / Math.log(high / low);
  const svg = add(figure, "svg", {viewBox: `0 0 ${width} ${height}`, class: "cross", role: "group", "aria-label": "Time against size, with a line to drag"});
  SIZES_SHOWN.forEach((bytes, i) => {
    add(svg, "path", {class: "grid", d: `M${x(bytes)},${box.top}V${box.bottom}`});
    if (i % 3 === 0) add(svg, "text", {class: "middle", x: x(bytes), y: box.bottom + 17}, sizeText(bytes));
  });
  add(svg, "text", {class: "middle", x: (box.left + box.right) / 2, y: height - 8}, "bytes per rank");
  for (let e = Math.ceil(Math.log10(low)); e <= Math.log10(high); ++e) add(svg, "text", {class: "end", x: box.left - 6, y: y(10 ** e) + 4}, picoText(10 ** e));
  const line = add(svg, "g", {class: "handle", tabindex: 0, role: "slider", "aria-label": "Where they cross", "aria-valuemin": 0, "aria-valuemax": 100, id: "guess-line"});
  const [stroke, grip, label] = [add(line, "path", {class: "guess"}), add(line, "circle", {class: "grip", r: 12, cy: (box.top + box.bottom) / 2}), add(line, "text", {class: "middle ink", y: box.top + 12})];
  let at = known ?? 0.15;
  const put = (part) => {
    at = Math.max(0, Math.min(1, part));
    const px = box.left + (box.right - box.left) * at, bytes = SIZES_SHOWN[0] * Math.exp(span * at), text = sizeText(Number(bytes.toPrecision(2)));
    stroke.setAttribute("d", `M${px},${box.top + 20}V${box.bottom}`);
    grip.setAttribute("cx", px);
    label.setAttribute("x", Math.max(box.left + 30, Math.min(box.right - 30, px)));
    label.textContent = text;
    line.setAttribute("aria-valuenow", Math.round(100 * at));
    line.setAttribute("aria-valuetext", text);
  };
  const reveal = () => {
    const between = Array.from({length: 101}, (_, i) => SIZES_SHOWN[0] * Math.exp(span * i / 100));  // straight lines bend on these axes
    for (const [i, times] of [first, second].entries()) {
      const one = algorithmNamed(names[i]), group = tone(add(svg, "g"), one.color);
      add(group, "path", {class: "line", d: between.map((bytes, k) => `${k ? "L" : "M"}${x(bytes).toFixed(1)},${y(interpolated(SIZES_SHOWN, times, bytes)).toFixed(1)}`).join("")});
      add(group, "text", {class: "name", x: x(SIZES_SHOWN[i ? 0 : 5]) + 8, y: y(times[i ? 0 : 5]) + (i ? -8 : 16)}, one.label);
    }
    add(svg, "circle", {class: "crossed", cx: x(size), cy: y(interpolated(SIZES_SHOWN, first, size)), r: 7});
  };
  put(at);
  if (known !== undefined) return void reveal();
  const move = (event) => {
    const bounds = svg.getBoundingClientRect();
    put(((event.clientX - bounds.left) * width / bounds.width - box.left) / (box.right - box.left));
  };
  svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); move(event); });
  svg.addEventListener("pointermove", (event) => { if (event.buttons) move(event); });
  line.addEventListener("keydown", (event) => {
    const by = {ArrowRight: 0.02, ArrowUp: 0.02, ArrowLeft: -0.02, ArrowDown: -0.02}[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    put(at + by);
  });
  return {line, tell: () => done(at, size, Math.abs(Math.log(SIZES_SHOWN[0] * Math.exp(span * at) / size)) < Math.log(4))};
}
// The time at a size between those of a curve.
function interpolated(sizes, times, size) {
  const found = sizes.findIndex((one) => one >= size), i = found < 0 ? sizes.length - 1 : Math.max(1, found);
  return times[i - 1] + (times[i] - times[i - 1]) * (size - sizes[i - 1]) / (sizes[i] - sizes[i - 1]);
}
