// --- Schedules of the reader: from files that `arlab export` or any program wrote, and to such files ------------------------

const own = new Map();  // by name: like an entry of the catalog, with lanes [[weight, the rounds of every rank]...]
const ACTION_NAMES = ["send", "reduce", "replace"];
const NO_FORMULA = {messages: "counted", elements: "counted", rounds: "counted"};

// Returns {lanes, ranks, elements, root} of a schedule file. Throws Error that names the file, and all that is missing.
function parseSchedule(text, file) {
  const wrong = (what) => { throw new Error(`${file}: ${what}`); };
  let json = null;
  try { json = JSON.parse(text); } catch (error) { wrong(`is not JSON: ${error.message}`); }
  if (json === null || typeof json !== "object" || Array.isArray(json)) wrong("is not an object in braces: give a schedule that arlab export wrote");
  const missing = ["kind", "collective", "ranks", "root", "lanes"].filter((key) => !Object.hasOwn(json, key));
  if (missing.length) wrong(`has no key${missing.length > 1 ? "s" : ""} ${missing.map((key) => `"${key}"`).join(", ")}`);
  if (json.kind !== "schedule") wrong(`"kind" is ${JSON.stringify(json.kind)}, not "schedule"`);
  if (json.collective !== "allreduce") wrong(`is of the collective ${JSON.stringify(json.collective)}: this page shows allreduce, use arlab verify`);
  if ((json.chunks_per_rank ?? 1) !== 1) wrong(`has ${json.chunks_per_rank} chunks per rank: this page shows 1, use arlab verify`);
  const whole = (value, what, low, high) => Number.isInteger(value) && value >= low && value <= high ? value :
    wrong(`${what} is ${JSON.stringify(value)}: give a whole number from ${low} to ${high}`);
  const ranks = whole(json.ranks, '"ranks"', 2, 64), root = whole(json.root, '"root"', 0, ranks - 1);
  const list = (value, what) => Array.isArray(value) ? value : wrong(`${what} is not a list`);
  const lanes = list(json.lanes, '"lanes"').map((lane, i) => {
    if ((lane?.chunks_per_rank ?? 1) !== 1) wrong(`lane ${i} has ${lane.chunks_per_rank} chunks per rank: this page shows 1, use arlab verify`);
    const where = `lane ${i}`, all = list(lane?.ranks, `${where}: "ranks"`);
    if (all.length !== ranks) wrong(`${where} has ${plural(all.length, "rank")}, but "ranks" is ${ranks}`);
    return [whole(lane.elements ?? 1, `${where}: "elements"`, 1, 1e12), all.map((rank, r) => list(rank?.rounds, `${where}, rank ${r}: "rounds"`).map((round, k) =>
      list(round, `${where}, rank ${r}, round ${k + 1}`).map((action) => {
        const at = `${where}, rank ${r}, round ${k + 1}`, kind = ACTION_NAMES.indexOf(action?.action);
        if (kind < 0) wrong(`${at}: "action" is ${JSON.stringify(action?.action)}: use send, reduce or replace`);
        return [kind, ...["peer", "chunk", "chunks"].map((key) => whole(action[key], `${at}: "${key}"`, 0, 1000)), whole(action.stride ?? 1, `${at}: "stride"`, 0, 1000)];
      })))];
  });
  if (!lanes.length) wrong("has no lane");
  return {lanes, ranks, root, elements: lanes.reduce((sum, [weight]) => sum + weight, 0)};
}

// The same as a file, for `arlab verify file:NAME`.
function scheduleFile(name, ranks, elements, root, rounds) {
  const action = ([kind, peer, chunk, chunks, stride]) => ({action: ACTION_NAMES[kind], peer, chunk, chunks, ...(stride === 1 ? {} : {stride})});
  const all = rounds.map((one, rank) => ({rank, rounds: one.map((round) => round.map(action))}));
  return JSON.stringify({kind: "schedule", algorithm: name, collective: "allreduce", ranks, elements, root, lanes: [{offset: 0, elements, ranks: all}]}, null, 1);
}

// Makes the reader's schedule one of the algorithms, and shows it.
function openSchedule(text, file) {
  const {lanes, ranks, root, elements} = parseSchedule(text, file), name = `file:${file}`;
  own.set(name, {name, label: file, color: "#6b7280", idea: `a schedule for ${ranks} ranks, from a file`, source: "", needs: "", formula: NO_FORMULA, own: lanes, ranks});
  Object.assign(state, {algorithm: name, beside: "", ranks, root, elements, segments: 1, lane: 0, step: 0, time: 0, view: state.view === "start" ? "steps" : state.view});
  const known = [...byId("algorithm").options].some(({value}) => value === name);
  if (!known) for (const id of ["algorithm", "beside"]) add(byId(id), "option", {value: name}, file);
  render();
}

async function openFile(file) {
  if (!file) return;
  try {
    if (precomputed) throw new Error(`${file.name}: a schedule needs the verifier, which this page does not contain. For a page with it: ${howToGetEngine}.`);
    if (file.size > 2e7) throw new Error(`${file.name} has ${sizeText(file.size)}: this page reads up to 20 MB`);
    openSchedule(await file.text(), file.name);
  } catch (error) {
    complainOf(error.message);
  }
}
function addOpening() {
  byId("open").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", () => { openFile(byId("file").files[0]); byId("file").value = ""; });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); openFile(event.dataTransfer.files[0]); });
}
