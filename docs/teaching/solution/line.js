function* program(p, me) {
  if (me > 0) yield reduce(me - 1, p.all());
  if (me < p.ranks - 1) yield send(me + 1, p.all());
  if (me < p.ranks - 1) yield replace(me + 1, p.all());
  if (me > 0) yield send(me - 1, p.all());
}
