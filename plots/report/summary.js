// --- Summary: the fastest algorithms, as sentences --------------------------------------------------------------------------

// Neighboring values of x with a common fastest algorithm, as [{labels, last, count}]; equal times tie.
function winners(slice) {
  const spans = [];
  for (const x of slice.xs) {
    const at = slice.series.map(({label, points}) => ({label, time: points.find((p) => p.x === x)?.time ?? Infinity}));
    const best = Math.min(...at.map(({time}) => time));
    const labels = at.filter(({time}) => time <= best * (1 + 1e-9)).map(({label}) => label);
    const span = spans.at(-1), common = span?.labels.filter((label) => labels.includes(label)) ?? [];
    if (common.length) Object.assign(span, {labels: common, last: x, count: span.count + 1});
    else spans.push({labels, last: x, count: 1});
  }
  return spans;
}

// How much of what may be is in an interval of the slice.
function shareOf(slice) {
  return slice.kind === "simulate" ? "80%" : "95%";
}

// The number of x where the confidence intervals of the two fastest algorithms overlap.
function closeCalls(slice) {
  return slice.xs.filter((x) => {
    const here = slice.series.flatMap(({points}) => points.filter((p) => p.x === x));
    const [first, second] = here.sort((a, b) => a.time - b.time);
    return first?.ci95 && second?.ci95 && second.ci95[0] <= first.ci95[1];
  }).length;
}

function sentence(slice) {
  const [xText, noun] = slice.over === "bytes" ? [sizeText, "size"] : [ranksText, "rank count"];
  const spans = winners(slice), names = (labels) => labels.join(" or ");
  let order;
  if (spans.length === 1) {
    order = `${names(spans[0].labels)} at ${slice.xs.length > 1 ? `every ${noun}` : xText(slice.xs[0])}`;
  } else if (spans.length <= 4) {
    const upTo = ({labels, last, count}) => `${names(labels)} ${count > 1 ? "up to" : "at"} ${xText(last)}`;
    order = `${spans.slice(0, -1).map(upTo).join(", ")}, then ${names(spans.at(-1).labels)}`;
  } else {
    const wins = new Map();
    for (const {labels, count} of spans) wins.set(names(labels), (wins.get(names(labels)) ?? 0) + count);
    const ranking = [...wins].sort((a, b) => b[1] - a[1]).map(([label, count]) => `${label} at ${count}`);
    order = `no clear order; of ${plural(slice.xs.length, noun)} ${ranking.join(", ")}`;
  }
  const close = closeCalls(slice), all = slice.xs.length;
  const caution = close ? ` (at ${close} of ${plural(all, noun)} the two fastest lie in each other's ${shareOf(slice)} interval)` : "";
  return `Fastest ${nameOf(slice)}: ${order}${caution}.`;
}

function bestBySetting(slices) {
  const best = new Map();
  for (const slice of [...slices].sort(better)) if (!best.has(slice.setting)) best.set(slice.setting, slice);
  return best;
}

function summarize() {
  const list = byId("summary"), say = (text, mark = "") => add(list, "li", {class: mark}, text);
  const chosen = data.records.length < data.all.length;
  if (chosen) say(`Of ${plural(data.all.length, "record")} these sentences are about the ${data.records.length.toLocaleString("en")} that are chosen.`);
  for (const {sentences, file} of chosen ? [] : data.answers ?? [])  // the answers are about all
    for (const sentence of sentences) say((data.files ?? []).length > 1 && file ? `${file}: ${sentence}` : sentence, /WRONG/.test(sentence) ? "bad" : "");
  const bySize = bestBySetting(slicesOver("bytes")), byRanks = bestBySetting(slicesOver("ranks"));
  for (const setting of [...bySize.keys()].sort()) {
    const [sizes, ranks] = [bySize.get(setting), byRanks.get(setting)];
    if (sizes.xs.length > 1 || ranks.xs.length === 1) say(sentence(sizes));
    if (ranks.xs.length > 1) say(sentence(ranks));
  }
  for (const kind of unique(data.records.map((record) => record.kind))) {
    const checked = data.records.filter((record) => record.kind === kind && Number.isFinite(record.wrong));
    if (!checked.length) continue;
    const failed = checked.filter((record) => record.wrong !== 0).length;
    const wrong = plural(checked.reduce((sum, record) => sum + record.wrong, 0), "wrong element");
    const passed = `${checked.length - failed} of ${plural(checked.length, "check")} passed`;
    say(`${kind}: ${passed}, ${wrong}.`, failed ? "bad" : "good");
  }
  for (const group of trainings(data.records)) say(trainingSentence(group));
  const both = data.records.filter((record) => CLAIMS.some((key) => get(record, `claimed.${key}`) !== null));
  const differ = both.filter((record) => CLAIMS.some((key) => differs(record, `claimed.${key}`))).length;
  const records = plural(both.length, "record");
  if (differ) say(`Claimed and counted cost differ in ${differ} of ${records}.`, "bad");
  else if (both.length) say(`Claimed = counted in all ${records} that have both.`, "good");
  const skipped = new Map();
  for (const {skipped: reason} of data.records) if (reason) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  for (const [reason, count] of skipped) say(`Skipped ${count}: ${reason}.`);
  for (const kind of unique(data.records.map((record) => record.kind))) {
    const rows = data.records.filter((record) => record.kind === kind), left = rows.filter((r) => (r.skipped ?? null) === null);
    const timed = Object.hasOwn(KINDS, kind), zero = left.filter((r) => timed && r.bytes === 0).length;
    const said = timed ? left.some((r) => isCount(r.ranks) && isCount(r.bytes) && pointOf(r, "bytes")) : Object.hasOwn(OF_TRAINING, kind) ? left.some(stepOf)
      : rows.some((r) => Number.isFinite(r.wrong) || CLAIMS.some((key) => get(r, `claimed.${key}`) !== null));
    if (zero) say(`${kind}: ${plural(zero, "record")} of 0 bytes, which the charts cannot show.`);
    if (!said && left.length > zero) say(`${kind}: ${plural(left.length - zero, "record")}, in the table below.`);
  }
  if (unique(settings(data.records).filter(({kind}) => kind === "run").map(({origin}) => origin)).length > 1)
    say("Measurements of several hosts, days, versions, or files are apart here; arlab compare tests whether two files differ.");
  if (!list.children.length) say("No records.");
}
