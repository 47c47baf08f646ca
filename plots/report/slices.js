// --- Slices: records of one setting, at one rank count over sizes or at one size over ranks --------------------------------

const isCount = (value) => Number.isInteger(value) && value > 0;
const isTime = (value) => Number.isFinite(value) && value > 0;

function pointOf(record, over) {
  const simulated = record.kind === "simulate";
  if (!simulated && record.wrong > 0) return null;  // what it computed is not the result
  const median = get(record, "time_us.median");
  const time = simulated ? median ?? record.modelled_us : median;
  if (!isTime(time)) return null;
  // Of a prediction on a calibrated machine: its 80% interval.
  const [low, high] = simulated ? [record.low_us, record.high_us] : get(record, "time_us.ci95") ?? [];
  const modelled = !simulated && isTime(record.modelled_us) ? record.modelled_us : null;
  const bound = simulated && isTime(record.bound_us) ? record.bound_us : null;  // of the network: no run beats it
  return {x: record[over], time, ci95: isTime(low) && isTime(high) ? [low, high] : null, modelled, bound};
}

// How many of n sorted values are below the 95% interval of their median, by the binomial distribution of ranks.
function belowInterval(n) {
  let logChoose = 0, below = 0;
  for (let j = 0; ; ++j) {
    below += Math.exp(logChoose - n * Math.LN2);
    if (below > 0.025) return Math.max(0, j - 1);
    logChoose += Math.log(n - j) - Math.log(j + 1);
  }
}

// Several launches of one configuration are one point: the median of their medians, with its interval from six launches on.
function ofLaunches(points) {
  if (points.length === 1) return points[0];
  const times = points.map(({time}) => time).sort((a, b) => a - b), n = times.length, last = points.at(-1);
  const time = (times[Math.floor((n - 1) / 2)] + times[Math.floor(n / 2)]) / 2;
  const skip = belowInterval(n);
  return {...last, time, ci95: n < 6 ? null : [times[skip], times[n - 1 - skip]]};
}

function slicesOver(over) {
  const held = over === "bytes" ? "ranks" : "bytes";
  const slices = new Map();
  for (const {kind, name: setting, records} of settings(data.records)) {
    // One rank sends nothing: it is left out if two counts remain.
    const alone = over === "ranks" && unique(records.filter((r) => r.ranks > 1 && pointOf(r, over)).map((r) => r.ranks)).length > 1;
    for (const record of records) {
      const point = alone && record.ranks === 1 ? null : pointOf(record, over);
      if (!point) continue;
      const fixed = record[held], key = JSON.stringify([setting, fixed]);
      if (!slices.has(key)) slices.set(key, {kind, setting, over, fixed, lines: new Map()});
      const lines = slices.get(key).lines, label = labelOf(record);
      if (!lines.has(label)) lines.set(label, {label, color: record.color, at: new Map()});
      const at = lines.get(label).at;
      if (!at.has(point.x)) at.set(point.x, new Map());
      at.get(point.x).set(launchOf(record), point);  // of a configuration that is repeated in a launch the latest record counts
    }
  }
  return [...slices.values()].map(({lines, ...slice}) => {
    const series = [...lines.values()].map(({label, color, at}) => {
      return {label, color, points: [...at.values()].map((launches) => ofLaunches([...launches.values()])).sort((a, b) => a.x - b.x)};
    });
    series.sort((a, b) => a.label < b.label ? -1 : 1);
    return {...slice, series, xs: ascending(series.flatMap(({points}) => points.map(({x}) => x)))};
  });
}

const fixedText = (slice) => slice.over === "bytes" ? ranksText(slice.fixed) : sizeText(slice.fixed);
const nameOf = (slice) => `${slice.setting}, ${fixedText(slice)}`;
// Most values on the x axis, then most algorithms, then the most ranks or the size nearest to 1 MiB.
const informs = (slice) => [slice.xs.length, slice.series.length,
                            slice.over === "bytes" ? slice.fixed : -Math.abs(Math.log2(slice.fixed) - 20)];
function better(a, b) {
  const [left, right] = [informs(a), informs(b)];
  const i = left.findIndex((value, at) => value !== right[at]);
  return i < 0 ? 0 : right[i] - left[i];
}
