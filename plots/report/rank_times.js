// --- What the ranks do: a strip per kind of work, as dark as the part of the time ---------------------------------------

const WORK = ["send", "receive", "reduce", "wait"];
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function drawRankTimes(figure, record) {
  figure.querySelectorAll("svg").forEach((node) => node.remove());
  const width = Math.max(280, figure.querySelector("figcaption").clientWidth), height = 4 * 44 + 30;
  const left = 58, right = width - 112, ranks = record.ranks, columns = Math.min(ranks, 256);
  const shares = (kind) => `${kind} ${Math.round(100 * mean(get(record, `rank_times_us.${kind}`)) / record.modelled_us)}%`;
  const svg = add(figure, "svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
                                  "aria-label": `What the ranks do, on average: ${WORK.map(shares).join(", ")}`});
  WORK.forEach((kind, row) => {
    const times = get(record, `rank_times_us.${kind}`), top = 44 * row + 4, step = (right - left) / columns;
    for (let column = 0; column < columns; ++column) {
      const part = times.slice(Math.floor(column * ranks / columns), Math.floor((column + 1) * ranks / columns));
      add(svg, "rect", {class: "work", x: (left + column * step).toFixed(2), y: top, width: step.toFixed(2), height: 36,
                        "fill-opacity": (mean(part) / record.modelled_us).toFixed(3)});
    }
    add(svg, "text", {x: left - 8, y: top + 22, "text-anchor": "end"}, kind);
    add(svg, "text", {x: right + 8, y: top + 16}, timeText(mean(times)));
    add(svg, "text", {x: right + 8, y: top + 31}, `at most ${timeText(times.reduce((most, time) => Math.max(most, time)))}`);
  });
  add(svg, "text", {x: left, y: height - 8}, "rank 0");
  add(svg, "text", {x: right, y: height - 8, "text-anchor": "end"}, `rank ${ranks - 1}`);
}

// Adds the figure, if records have such times, and returns a function that draws it.
function rankTimes() {
  const records = data.records.filter((record) => get(record, "rank_times_us"));
  if (!records.length) return () => {};
  const figure = add(byId("charts"), "figure", {id: "rank-times"}), caption = add(figure, "figcaption");
  const nameOfRecord = (record) => [labelOf(record), ranksText(record.ranks), sizeText(record.bytes), record.model,
                                    record.topology].filter(Boolean).join(", ");
  add(caption, "h3", {}, "What the ranks do");
  let shown = records[0];
  const select = add(caption, "select", {"aria-label": "What the ranks do: which record"});
  records.forEach((record, i) => add(select, "option", {value: i}, nameOfRecord(record)));
  select.addEventListener("change", () => drawRankTimes(figure, shown = records[Number(select.value)]));
  return fitted(figure, () => drawRankTimes(figure, shown));
}
