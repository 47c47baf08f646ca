// Settings: the records that were made in the same way, and what names them, as plots/charts/settings.py and naming.py have it.
// Measured and simulated records never share a setting; nor do two hosts, days, versions, and what two files both measured.

// What `same`, `apart` and `ofTimes` are, settings.py says.
const LAYOUT = ["groups", "dims", "trees"];
const KINDS = {
  run: {word: "measured",
        same: ["backend", "collective", "dtype", "op", "compressor", "segments", "place", "mode", "cache"],
        apart: ["root", "start", "repeats", "summary_over_ranks", "disturbance"], ofTimes: ["lanes"]},
  simulate: {word: "simulated",
             same: ["model", "topology", "machine", "collective", "dtype", "op", "compressor", "segments", "disturbance"],
             apart: ["root"], ofTimes: ["lanes", "commit", "version", "file"]},
};
const USUAL = {collective: "allreduce", dtype: "float32", op: "sum", segments: 1, compressor: "none", place: "in",
               mode: "alone", cache: "warm"};
const ORIGIN = ["host", "date", "commit", "version", "mpi", "nccl", "cuda", "gpu", "cpu", "compiler", "build", "governor", "environment", "file"];
const SESSION_GAP = 12 * 3600e3;  // milliseconds between starts on one host
const counted = (word) => (n) => `${n} ${word}${n === 1 ? "" : "s"}`;
const WORDS = {segments: counted("segment"), lanes: counted("lane"), groups: counted("group"), workers: counted("worker"), servers: counted("server"),
               place: (how) => how === "in" ? "in place" : `${how} of place`, cache: (how) => `${how} caches`, dims: (dims) => `torus ${dims}`, trees: (network) => `trees of ${network}`,
               root: (rank) => `root ${rank}`, start: (how) => `started by ${how}`, repeats: (n) => `${n} in a row`, summary_over_ranks: (how) => `${how} over ranks`, commit: (id) => `commit ${id}`,
               version: (id) => `version ${id}`, batch_size: (n) => `batch ${n}`, batch_per_worker: (n) => `batch ${n} per worker`, seed: (n) => `seed ${n}`,
               learning_rate: (rate) => `learning rate ${rate}`, bandwidth_gbit_per_s: (rate) => `${rate} Gbit/s`, latency_us: (us) => `latency ${timeText(us)}`,
               overlap: (on) => on ? "overlap" : "no overlap", slowdown: (by) => `slowdown ${by}`, jitter: (part) => `jitter ${part}`};

function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) groups.set(keyOf(value), [...groups.get(keyOf(value)) ?? [], value]);
  return groups;
}
const labelOf = (record) => plainText(String(record.label || record.algorithm || "unnamed"));
const contextOf = (record) => (data.contexts ?? [])[record.context] ?? {};

// The session of each host and date: the day of its first start, with the time if the host has two of that day.
function sessions(records) {
  const days = new Map(), names = new Map();
  for (const {host, date} of records.map(contextOf)) {
    if (typeof date === "string" && date) days.set(String(host), (days.get(String(host)) ?? new Set()).add(date));
  }
  for (const [host, dates] of days) {
    const starts = new Map();
    let start = null, before = NaN;
    for (const date of [...dates].sort()) {
      const now = Date.parse(date);
      if (start === null || !(now - before <= SESSION_GAP)) start = date;
      before = now;
      starts.set(date, start);
    }
    const all = unique([...starts.values()]), often = (day) => all.filter((one) => one.slice(0, 10) === day).length;
    for (const [date, first] of starts) {
      const day = first.slice(0, 10);
      names.set(`${host} ${date}`, often(day) > 1 ? first.slice(0, 16).replace("T", " ") : day);
    }
  }
  return names;
}

// The value of a key of a record or its origin; dates as sessions. Absent: null.
function valueReader(records) {
  const sessionOf = sessions(records);
  return (record, key) => {
    const context = contextOf(record);
    if (key === "date") return sessionOf.get(`${context.host} ${context.date}`) ?? null;
    if (key === "repeats" && (record.source ?? null) !== null) return null;  // of a benchmark that repeats a run by its time
    if (key === TEAM) return `${record.workers ?? "?"} × ${record.strategy ?? "?"}`;
    const value = ORIGIN.includes(key) ? context[key] : get(record, key);
    return value === "" || value === undefined || (typeof value === "object" && value !== null && !Object.keys(value).length) ? null : value;
  };
}
function wordOf(key, value) {
  if (value === null) return key === "compressor" ? "none" : "";
  if (typeof value === "object" && !Array.isArray(value)) return Object.entries(value).map(([name, one]) => `${name}=${one}`).join(" ");
  return String(WORDS[key]?.(value) ?? value);
}
const idOf = (values) => JSON.stringify(values);

// Parts records by their values of the keys, as [{words, records}]. A key that earlier ones determine adds no word.
function separate(records, keys) {
  const valueOf = valueReader(records), said = [];
  const parts = (of) => new Set(records.map((record) => idOf(of.map((key) => valueOf(record, key))))).size;
  for (const key of keys) if (parts([...said, key]) > parts(said)) said.push(key);
  const found = new Map();
  for (const record of records) {
    const values = said.map((key) => valueOf(record, key)), id = idOf(values);
    if (!found.has(id)) found.set(id, {words: values.map((value, i) => wordOf(said[i], value)).filter(Boolean), records: []});
    found.get(id).records.push(record);
  }
  return [...found.values()];
}

// Names rows by their values of the keys in `first` that differ; where names repeat, also by those of `then` and ORIGIN.
const TEAM = "workers, strategy";
function rowNames(rows, first, then = [], fallback = "", at = "") {
  const valueOf = valueReader(rows);
  const differs = (key) => new Set(rows.map((row) => idOf(valueOf(row, key)))).size > 1;
  const word = (row, key) => wordOf(key, valueOf(row, key)), shown = first.filter(differs);
  let words = rows.map((row) => shown.map((key) => word(row, key)));
  for (const key of [...then, ...ORIGIN]) {
    const alike = new Map();
    rows.forEach((row, i) => {
      const id = idOf([words[i], at ? row[at] : 0]);
      alike.set(id, (alike.get(id) ?? new Set()).add(idOf(valueOf(row, key))));
    });
    const repeated = new Set([...alike].filter(([, values]) => values.size > 1).map(([id]) => idOf(JSON.parse(id)[0])));
    words = words.map((said, i) => repeated.has(idOf(said)) ? [...said, word(rows[i], key) || `no ${key}`] : said);
  }
  return words.map((said, i) => said.filter(Boolean).join(", ") || (fallback ? word(rows[i], fallback) : ""));
}
function numbered(names) {
  const seen = new Map(), often = (name) => names.filter((other) => other === name).length;
  return names.map((name) => {
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return often(name) > 1 ? `${name} (${seen.get(name)})` : name;
  });
}

const configurations = (records, keys = ["ranks", "bytes"]) => [...groupBy(records, (r) => idOf([labelOf(r), ...keys.map((key) => r[key])])).values()];
const differ = (records, key) => separate(records, [key]).length > 1;

// Parts records by the keys of their identity that differ and that are not swept.
function byIdentity(kind, records) {
  const {apart, ofTimes} = KINDS[kind], arranged = configurations(records, ["ranks"]);
  const layout = LAYOUT.filter((key) => arranged.some((same) => differ(same, key)));
  return separate(records, [...apart, ...layout]).flatMap(({words, records: part}) => {
    const launches = configurations(part).flatMap((same) => same.length > 1 ? [...groupBy(same, launchOf).values()] : []);
    const repeated = launches.filter((rows) => unique(rows.map((r) => pointOf(r, "bytes")?.time ?? null).filter((time) => time !== null)).length > 1);
    const keys = ofTimes.filter((key) => repeated.some((rows) => differ(rows, key)));
    return separate(part, keys).map(({words: more, records: rows}) => ({words: [...words, ...more], records: rows}));
  });
}
const launchOf = (record) => record.kind === "run" ? contextOf(record).launch ?? null : null;

function byOrigin(kind, records) {
  if (kind === "simulate") return [{words: [], records}];
  return separate(records, ORIGIN.filter((key) => key !== "host" && key !== "file")).flatMap(({words, records: same}) => {
    const repeat = configurations(same).some((rows) => unique(rows.map((r) => contextOf(r).file ?? null)).length > 1);
    return separate(same, repeat ? ["file"] : []).map((part) => ({words: [...words, ...part.words], records: part.records}));
  });
}

// Returns [{kind, name, records}] of the measured and simulated records that a logarithmic axis can show.
function settings(records) {
  const shown = records.filter((r) => Object.hasOwn(KINDS, r.kind) && (r.skipped ?? null) === null && isCount(r.ranks) && isCount(r.bytes));
  // Nobody asked for segments: an algorithm chooses them by the size.
  const chosen = (record, key) => key === "segments" && record.kind === "simulate" && contextOf(record).command && !String(contextOf(record).command).includes("--segments");
  const usual = (record, key) => (chosen(record, key) ? null : get(record, key)) ?? (Object.hasOwn(USUAL, key) ? USUAL[key] : null);
  const varied = (kind, key) => unique(shown.filter((r) => r.kind === kind).map((r) => usual(r, key)).filter((value) => value !== null)).length > 1;
  const varying = Object.fromEntries(Object.entries(KINDS).map(([kind, {same}]) => [kind, same.filter((key) => varied(kind, key))]));
  const alike = groupBy(shown, (record) => {
    const host = record.kind === "run" ? contextOf(record).host : null;
    const words = KINDS[record.kind].same.map((key) => {
      const value = usual(record, key);
      return value !== null && (value !== USUAL[key] || varying[record.kind].includes(key)) ? wordOf(key, value) : "";
    });
    return idOf([record.kind, host ? `on ${host}` : "", words.filter(Boolean)]);
  });
  return [...alike].flatMap(([id, same]) => {
    const [kind, host, words] = JSON.parse(id);
    return byOrigin(kind, same).flatMap(({words: origin, records: part}) => byIdentity(kind, part).map(({words: more, records: rows}) =>
      ({kind, name: [KINDS[kind].word, host, ...origin, ...words, ...more].filter(Boolean).join(", "), origin: idOf([host, origin]), records: rows})));
  });
}
