function* program(p, me) {
  if (p.ranks & (p.ranks - 1)) throw new Error("halving needs a power of two of ranks");
  let first = 0, count = p.ranks;  // the chunks that this rank is responsible for
  for (let distance = p.ranks / 2; distance >= 1; distance /= 2) {
    const half = count / 2, upper = (me & distance) > 0, mine = first + (upper ? half : 0), theirs = first + (upper ? 0 : half);
    yield [send(me ^ distance, p.chunks(theirs, half)), reduce(me ^ distance, p.chunks(mine, half))];
    first = mine;
    count = half;
  }
  for (let distance = 1; distance < p.ranks; distance *= 2) {
    const theirs = first ^ count;
    yield [send(me ^ distance, p.chunks(first, count)), replace(me ^ distance, p.chunks(theirs, count))];
    first = Math.min(first, theirs);
    count *= 2;
  }
}
