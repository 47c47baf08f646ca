// --- The six algorithms as programs of a page, to start from -----------------------------------------------------------------

const HELP = "send(rank, chunks), reduce(rank, chunks): receive and add, replace(rank, chunks): receive and overwrite. " +
  "One yield is one round. p.ranks, p.root, p.chunk(i), p.chunks(first, count), p.all(), p.wrap(rank).";
const EXAMPLES = {
  ring: `// Partial sums go once around the ring, then the finished chunks do.
function* program(p, me) {
  const right = p.wrap(me + 1), left = p.wrap(me - 1);
  for (let step = 1; step < p.ranks; ++step)
    yield [send(right, p.chunk(me - step)), reduce(left, p.chunk(me - step - 1))];
  for (let step = 0; step < p.ranks - 1; ++step)
    yield [send(right, p.chunk(me - step)), replace(left, p.chunk(me - step - 1))];
}
`,
  all_to_all: `// Everyone sends its vector to everyone, and adds for itself.
function* program(p, me) {
  const round = [];
  for (let away = 1; away < p.ranks; ++away) {
    round.push(send(p.wrap(me + away), p.all()));
    round.push(reduce(p.wrap(me - away), p.all()));
  }
  yield round;
}
`,
  master_worker: `// All send to the root, which adds and sends the sum back.
function* program(p, me) {
  const others = [...Array(p.ranks).keys()].filter((rank) => rank !== p.root);
  if (me === p.root) {
    yield others.map((rank) => reduce(rank, p.all()));
    yield others.map((rank) => send(rank, p.all()));
  } else {
    yield send(p.root, p.all());
    yield replace(p.root, p.all());
  }
}
`,
  tree: `// Pairs add, then pairs of pairs; the sum goes back the same way.
function* program(p, me) {
  const rank = p.wrap(me - p.root), at = (one) => p.wrap(one + p.root);
  let span = 1;
  for (; span < p.ranks && rank % (2 * span) === 0; span *= 2)
    if (rank + span < p.ranks) yield reduce(at(rank + span), p.all());
  if (rank > 0) {
    yield send(at(rank - span), p.all());
    yield replace(at(rank - span), p.all());
  }
  for (span = Math.floor(span / 2); span >= 1; span = Math.floor(span / 2))
    if (rank + span < p.ranks) yield send(at(rank + span), p.all());
}
`,
  butterfly: `// Partners at distance 1, 2, 4, ... exchange their vectors. For powers of two.
function* program(p, me) {
  if (p.ranks & (p.ranks - 1)) throw new Error("the butterfly needs a power of two of ranks");
  for (let distance = 1; distance < p.ranks; distance *= 2)
    yield [send(me ^ distance, p.all()), reduce(me ^ distance, p.all())];
}
`,
  round_robin: `// Each chunk goes directly to its owner, in rotation, and comes back the same way.
function* program(p, me) {
  for (let away = 1; away < p.ranks; ++away)
    yield [send(p.wrap(me + away), p.chunk(me + away)), reduce(p.wrap(me - away), p.chunk(me))];
  for (let away = 1; away < p.ranks; ++away)
    yield [send(p.wrap(me + away), p.chunk(me)), replace(p.wrap(me - away), p.chunk(me - away))];
}
`,
};
