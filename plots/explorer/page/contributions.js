// --- Contributions: whose they are, as colors and as numbers ---------------------------------------------------------

// A color per rank, the first eight of Okabe and Ito. A contribution also has a place of its own in every strip, so no one
// needs the colors.
const RANK_COLORS = ["#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#c9b800", "#7a7f87",
                     "#8b5a00", "#1f6f8b", "#7fc8a9", "#f4a582", "#8e4a8e", "#9db4e8", "#a03a2c", "#4d5c3a"];
const MOST_STRIPS = RANK_COLORS.length;  // ranks whose contributions are drawn one by one

// The number that each rank brings, so that sums can be followed by hand: 3 + 1 + 4 + 2 = 10.
const NUMBER_OF_RANK = [3, 1, 4, 2, 6, 5, 9, 8, 7, 2, 4, 1, 5, 3, 8, 6];
const numberOf = (rank) => NUMBER_OF_RANK[rank % NUMBER_OF_RANK.length];
const sumOf = (ranks) => ranks.reduce((sum, rank) => sum + numberOf(rank), 0);

// The ranks whose contributions are in a sum of the run, those that are in it twice listed twice.
const ranksOfSums = new WeakMap();
function contributors(run, id) {
  if (!(id >= 0)) return [];
  if (!ranksOfSums.has(run)) ranksOfSums.set(run, new Map());
  const known = ranksOfSums.get(run);
  if (!known.has(id)) known.set(id, run.repeated[id] ?? ranksInSet(run.whose[id]));
  return known.get(id);
}
// The engine writes a set of ranks as hexadecimal digits, the last bit being rank 0.
function ranksInSet(digits) {
  const ranks = [];
  [...digits].reverse().forEach((digit, i) => {
    for (let bit = 0; bit < 4; ++bit) if (parseInt(digit, 16) >> bit & 1) ranks.push(4 * i + bit);
  });
  return ranks;
}
const isWhole = (run, id) => id >= 0 && run.contributions[id] === run.chunks.length;

// What a message carries of its i-th chunk.
const sumCarried = ([, , , , , , , , carried], i = 0) => Array.isArray(carried) ? carried[i] : carried;
const transferOf = (message) => message[9];  // through switches that add; undefined for a message from rank to rank

// Adds to paths (one per rank) the strips of contributions in a box: rank r has the r-th of `ranks` places. What is there
// twice stands upon the first, higher than all others, and is added to `twice`, too.
function addStrips(paths, all, ranks, {x, y, width, height}, twice = []) {
  const w = width / ranks, gap = w > 5 ? 1 : w > 2.5 ? 0.4 : 0, seen = new Map();
  for (const rank of all) {
    const level = seen.get(rank) ?? 0;
    seen.set(rank, level + 1);
    const d = `M${(x + rank * w + gap / 2).toFixed(1)},${(y - level * (height + 1)).toFixed(1)}h${(w - gap).toFixed(1)}v${height.toFixed(1)}h-${(w - gap).toFixed(1)}z`;
    paths[rank] = (paths[rank] ?? "") + d;
    if (level > 0) twice.push(d);
  }
}
// The empty places of a strip, so that a gap is seen.
const slotsPath = ({x, y, width, height}) => `M${x.toFixed(1)},${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h-${width.toFixed(1)}z`;
function drawStrips(parent, paths) {
  paths.forEach((d, rank) => d && add(parent, "path", {class: "strip", "data-whose": rank, fill: RANK_COLORS[rank], d}));
}

// Whose color is whose, and what number each rank brings.
function contributionsLegend(figure, ranks) {
  if (ranks > MOST_STRIPS) return void legend(figure, [["--fill", "part of the sum"], ["--good", "the whole sum"], ...MOVES]);
  const line = add(figure, "p", {class: "legend whose", "aria-label": "Colors of the ranks' contributions"});
  for (let r = 0; r < ranks; ++r) add(line, "span", {class: "who", style: `--key: ${RANK_COLORS[r]}`}, ranks <= 8 ? `rank ${r}: ${numberOf(r)}` : String(r));
  for (const [color, text, dashed] of MOVES) add(line, "span", {style: `--key: var(${color})`, class: dashed ? "dashed" : ""}, text);
}
