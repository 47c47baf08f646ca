// --- Filters: choose the records of summary, charts and tables ---------------------------------------------------

let isolate = () => {};  // what a click at a line of a chart does
function addFilters(all) {
  const labels = unique(all.map(labelOf)).sort(), off = new Set(), form = byId("filters");
  const ranges = {ranks: ranksText, bytes: sizeText}, limits = {};
  const apply = () => {
    data.records = all.filter((record) => !off.has(labelOf(record)) && Object.entries(limits).every(([key, [low, high]]) =>
      !isCount(record[key]) || (record[key] >= low && record[key] <= high)));
    show();
  };
  // One more or less; or only this one, and all again.
  const choose = (label, more) => {
    const alone = !off.has(label) && off.size === labels.length - 1;
    if (more) off.has(label) ? off.delete(label) : off.add(label);
    else {
      off.clear();
      if (!alone) for (const other of labels) if (other !== label) off.add(other);
    }
    for (const chip of form.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(!off.has(chip.dataset.label)));
    apply();
  };
  isolate = (label) => choose(label, false);
  for (const label of labels) {
    const chip = add(form, "button", {type: "button", class: "chip", "aria-pressed": "true"});
    tone(add(chip, "span", {class: "swatch"}), all.find((record) => labelOf(record) === label).color);
    chip.append(label);
    chip.title = "Only this one; again: all. With Shift or Ctrl: this one more or less";
    chip.dataset.label = label;
    chip.addEventListener("click", ({shiftKey, ctrlKey, metaKey}) => choose(label, shiftKey || ctrlKey || metaKey));
  }
  for (const [key, text] of Object.entries(ranges)) {
    const values = ascending(all.map((record) => record[key]).filter(isCount));
    if (values.length < 2) continue;
    limits[key] = [values[0], values.at(-1)];
    ["from", "to"].forEach((word, end) => {
      const select = add(add(form, "label", {}, `${end ? "" : key === "bytes" ? "size " : "ranks "}${word}`), "select", {id: `${key}-${word}`});
      for (const value of values) add(select, "option", {value}, text(value));
      select.value = limits[key][end];
      select.addEventListener("change", () => { limits[key][end] = Number(select.value); apply(); });
    });
  }
  add(form, "button", {type: "button", id: "all"}, "All").addEventListener("click", () => {
    off.clear();
    form.replaceChildren();
    data.records = data.all;
    addFilters(all);
    show();
  });
  form.hidden = all.length < 2;
}
