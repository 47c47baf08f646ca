// --- The engine: the C++ programs as WebAssembly, or precomputed answers -----------------------------

const built = /*ARLAB_ENGINE*/null/*END*/;
const precomputed = built?.answers ? built : null;
let module, instance, spare;

// Writes a request as the C++ side does: without default values.
function request(ask, values = {}) {
  const usual = {root: 0, segments: 0, lane: 0, model: "alpha_beta", topology: "", routing: "automatic"};
  const kept = Object.entries(values).filter(([key, value]) => value !== undefined && value !== usual[key]);
  return JSON.stringify({ask, ...Object.fromEntries(kept)});
}

// The module prints the error's text before it stops.
async function makeInstance() {
  const made = {said: ""};
  const imports = {};
  for (const {module: from, name} of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 52;  // ENOSYS
  const write = (file, vectors, count, written) => {
    const view = new DataView(made.exports.memory.buffer);
    let bytes = 0;
    for (let i = 0; i < count; ++i) {
      const at = view.getUint32(vectors + 8 * i, true), size = view.getUint32(vectors + 8 * i + 4, true);
      made.said += new TextDecoder().decode(new Uint8Array(made.exports.memory.buffer, at, size));
      bytes += size;
    }
    view.setUint32(written, bytes, true);
    return 0;
  };
  if (imports.wasi_snapshot_preview1?.fd_write) imports.wasi_snapshot_preview1.fd_write = write;
  made.exports = (await WebAssembly.instantiate(module, imports)).exports;
  made.exports._initialize?.();
  return made;
}

async function startEngine() {
  if (precomputed) return;
  if (!built) throw new Error("This is the explorer's template without its engine: run `arlab explore`.");
  const text = atob(built.module), bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  built.module = null;
  module = await WebAssembly.compile(bytes);
  [instance, spare] = await Promise.all([makeInstance(), makeInstance()]);
}

// Returns the answer to a request, from a cache if possible. Throws Error with the engine's message; a refusal stops the engine,
// so it is remembered, too.
const remembered = new Map();
function ask(what, values) {
  const text = request(what, values);
  if (!remembered.has(text)) {
    if (remembered.size > 60) remembered.delete(remembered.keys().next().value);
    remembered.set(text, precomputed ? look(text) : compute(text));
  }
  const answer = remembered.get(text);
  if (answer instanceof Error) throw answer;
  return answer;
}

const howToGetEngine = "on Debian 12 or 13, or Ubuntu 24.04, run ./lab demo in the sources of arlab, then arlab explore";

function look(text) {
  if (Object.hasOwn(precomputed.answers, text)) return precomputed.answers[text];
  return new Error(`This page was made without WebAssembly and holds runs of ${precomputed.ranks.join(", ")} ranks and ` +
                   `${precomputed.elements.toLocaleString("en")} elements only: choose those, or make a page with the engine: ${howToGetEngine}.`);
}

function compute(text) {
  if (!instance) throw new Error("The engine is restarting: try again.");
  const {exports} = instance, bytes = new TextEncoder().encode(text);
  try {
    const at = exports.arlab_buffer(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    const answer = exports.arlab_answer(), size = exports.arlab_answer_size();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, answer, size)));
  } catch (trap) {
    const said = instance.said.trim().replace(/^error \d: /, "") || String(trap);
    instance = spare;  // a stopped module cannot be reused
    spare = null;
    makeInstance().then((made) => instance ? spare = made : instance = made);
    return new Error(said);
  }
}
