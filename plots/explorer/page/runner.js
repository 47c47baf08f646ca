// --- The runner: a program of the reader in a worker, with a time limit ----------------------------------------------------

// What a program sees. It stands in front of the program, on its first line, so that numbers of lines are the reader's.
function programWords() {
  const most = 100000;
  let count = 0;
  const lineOf = (stack, skipped) => {
    const found = [...String(stack).matchAll(/blob:[^\s)]*?:(\d+):\d+/g)];
    return Number(found[skipped]?.[1] ?? found.at(-1)?.[1] ?? 0);
  };
  const fail = (text, line) => { throw Object.assign(new Error(text), {line: line ?? lineOf(new Error().stack, 2)}); };
  const whole = (value, what) => Number.isInteger(value) ? value : fail(`${what} is ${String(value)}: give a whole number`, lineOf(new Error().stack, 3));
  const wrap = (i, m) => (i % m + m) % m;
  const made = (kind) => (peer, chunks) => {
    if (++count > most) fail(`more than ${most} actions`);
    if (!chunks?.isChunks) fail("give the chunks as p.chunk(i), p.chunks(first, count) or p.all()");
    return {kind, peer: whole(peer, "the peer"), chunks, line: lineOf(new Error().stack, 1), isAction: true};
  };
  const problem = (ranks, root) => Object.freeze({
    ranks, root,
    wrap: (i) => wrap(whole(i, "a rank"), ranks),
    chunk: (i) => ({isChunks: true, first: wrap(whole(i, "a chunk"), ranks), count: 1, stride: 1}),
    chunks: (first, count, stride = 1) => ({isChunks: true, first: wrap(whole(first, "a chunk"), ranks), count: whole(count, "the number of chunks"), stride: count === 1 ? 1 : whole(stride, "the stride")}),
    all: () => ({isChunks: true, first: 0, count: ranks, stride: 1}),
  });
  const roundsOf = (program, p, me) => {
    const rounds = [], lines = [];
    for (const yielded of program(p, me)) {
      const round = Array.isArray(yielded) ? yielded : [yielded];
      if (!round.every((one) => one?.isAction)) throw new Error(`rank ${me}, round ${rounds.length + 1}: yield send(...), reduce(...) or replace(...), or a list of them`);
      if (rounds.length >= most) throw new Error(`rank ${me} has not ended after ${most} rounds`);
      rounds.push(round.map(({kind, peer, chunks}) => [kind, peer, chunks.first, chunks.count, chunks.stride]));
      lines.push(round.map(({line}) => line));
    }
    return [rounds, lines];
  };
  const run = (program, {ranks, root}) => {
    if (typeof program !== "function") return {error: "define function* program(p, me)", line: 1};
    const schedule = [], lines = [];
    try {
      for (let me = 0; me < ranks; ++me) {
        const [rounds, at] = roundsOf(program, problem(ranks, root), me);
        schedule.push(rounds);
        lines.push(at);
      }
    } catch (error) {
      return {error: error.message, line: error.line ?? lineOf(error.stack, 0)};
    }
    return {schedule, lines};
  };
  return {send: made(0), reduce: made(1), replace: made(2), run};
}

const LIMIT_MS = 2000;
let worker = null;
// Runs a program for all ranks. Resolves to {schedule, lines} or {error, line}.
function runProgram(text, problem) {
  worker?.terminate();
  const words = programWords.toString().replace(/\/\/[^\n]*/g, "").replace(/\s*\n\s*/g, " ");
  const code = `"use strict"; const {send, reduce, replace, run: _run} = (${words})(); ${text}\n` +
    "self.postMessage(_run(typeof program === 'undefined' ? undefined : program, JSON.parse(self.name)));";
  const address = URL.createObjectURL(new Blob([code], {type: "text/javascript"}));
  return new Promise((resolve) => {
    const mine = worker = new Worker(address, {name: JSON.stringify(problem)});
    const end = (answer) => {
      clearTimeout(timer);
      mine.terminate();
      URL.revokeObjectURL(address);
      resolve(answer);
    };
    const timer = setTimeout(() => end({error: `the program has not ended after ${LIMIT_MS / 1000} seconds: is there a loop without an end?`, line: 0}), LIMIT_MS);
    mine.onmessage = ({data}) => end(data);
    mine.onerror = (event) => {
      event.preventDefault();
      end({error: event.message.replace(/^Uncaught /, ""), line: Math.min(event.lineno, text.split("\n").length)});
    };
  });
}
