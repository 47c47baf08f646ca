// --- The guided path: a question, a prediction, and what happens, through six algorithms -----------------------------------

const GUIDE_RANKS = 4, GUIDE_ELEMENTS = 262144;
const FIRST_SHOWN = "ring";  // where nothing else is chosen
const SIX = ["all_to_all", "master_worker", "tree", "butterfly", "round_robin", "ring"];

// What the engine says of an algorithm, so that no number of the path is written by hand.
const guideTask = (algorithm, ranks = GUIDE_RANKS) => ({algorithm, ranks, elements: GUIDE_ELEMENTS});
const guideRun = (algorithm, ranks) => ask("run", guideTask(algorithm, ranks));
const guideTime = (algorithm, ranks) => ask("simulate", guideTask(algorithm, ranks));
const messagesOfAll = () => SIX.map((name) => guideRun(name).counted.messages);
const vectorsSent = (name) => `${guideRun(name).counted.elements / GUIDE_ELEMENTS} vectors`;
const busiest = (name) => {
  const ends = guideRun(name).steps.flatMap(({messages}) => messages.flatMap(([from, to]) => [from, to]));
  const counts = [...Array(GUIDE_RANKS).keys()].map((rank) => ends.filter((end) => end === rank).length), most = Math.max(...counts);
  return counts.filter((count) => count === most).length > 1 ? "no rank: all have as much to do" : `rank ${counts.indexOf(most)}`;
};

// A schedule in which every rank sends and adds its first message twice.
function repeatedRun() {
  const schedule = structuredClone(guideRun("butterfly").schedule);
  for (const rounds of schedule) rounds.splice(0, 0, structuredClone(rounds[0]));
  return ask("run", {...guideTask("butterfly"), schedule});
}

// Each stop: the algorithm on view, between which steps it moves, one sentence, and a question with its choices, one of which
// right() returns. because(): what one sees now. `cross` names two algorithms whose curves cross.
const STOPS = [
  {algorithm: "tree", steps: [0, 0], say: () => "Four ranks hold the numbers 3, 1, 4 and 2, and each of them needs the sum.",
   ask: "How many messages does it take at least?", choices: () => [3, 4, 6, 12], right: () => Math.min(...messagesOfAll()),
   because: () => "Three messages bring the numbers together, and three spread the sum: 3 + 1 + 4 + 2 = 10. But that is not all that counts."},
  {algorithm: "all_to_all", steps: [0, 0], say: () => "All to all: everyone tells everyone, and adds for itself.",
   ask: "How many messages are that?", choices: () => [6, 8, 12, 16], right: () => guideRun("all_to_all").counted.messages,
   because: () => "Each of 4 ranks sends to 3 others.", then: "all"},
  {algorithm: "all_to_all", steps: [1, 1], say: () => "Each color is the contribution of one rank: in the end each is in each cell exactly once.",
   ask: "How many messages will 8 ranks send?", choices: () => [24, 48, 56, 64], right: () => guideRun("all_to_all", 8).counted.messages,
   because: () => "The messages grow with the square of the ranks; all arrive in one step, but each rank must receive them one after the other."},
  {algorithm: "master_worker", steps: [0, 0], say: () => "Master-worker: all send to rank 0, which adds, and sends the sum back.",
   ask: "Which rank has most to do?", choices: () => ["rank 0", "rank 1", "rank 3", "no rank: all have as much to do"], right: () => busiest("master_worker"),
   because: () => `Every message passes through the master; there are only ${guideRun("master_worker").counted.messages}.`, then: "all"},
  {algorithm: "master_worker", steps: [2, 2], picture: "time", say: () => "The timeline shows the round in time: hatched is a rank that waits.",
   ask: "On 8 ranks instead of 4, how much longer does it take?", choices: () => ["as long", "about 1.5 times", "about 2.3 times", "about 5 times"],
   right: () => timesText(guideTime("master_worker", 8).finish / guideTime("master_worker").finish),
   because: () => "The master receives from 7 workers instead of 3, one after another: the time grows with the ranks."},
  {algorithm: "tree", steps: [0, 0], say: () => "Tree: pairs add first, then pairs of pairs; the sum goes back the same way.",
   ask: "How many steps are that on 4 ranks?", choices: () => [2, 3, 4, 6], right: () => guideRun("tree").steps.length,
   because: () => "Two steps up, two steps down: two times the logarithm of the number of ranks.", then: "all"},
  {algorithm: "tree", steps: [4, 4], say: () => "No rank has more to do than one message for each level of the tree.",
   ask: "How many steps does it take on 16 ranks?", choices: () => [6, 8, 16, 30], right: () => guideRun("tree", 16).steps.length,
   because: () => "Four times the ranks, but only two more levels, up and down."},
  {algorithm: "butterfly", steps: [0, 0], say: () => "Butterfly: partners exchange what they have, and both add; partners get farther apart.",
   ask: "How many steps are that on 4 ranks?", choices: () => [1, 2, 3, 4], right: () => guideRun("butterfly").steps.length,
   because: () => "Nobody waits for a sum to come back: the steps of the tree are halved.", then: "all"},
  {algorithm: "butterfly", steps: [2, 2], say: () => "Fewer steps have a price.",
   ask: "How many messages did the butterfly send, where the tree sent 6?", choices: () => [4, 6, 8, 12], right: () => guideRun("butterfly").counted.messages,
   because: () => "In each step every rank sends its whole vector."},
  {algorithm: "round_robin", steps: [0, 0], say: () => "Round robin: the vector is cut into chunks, and each chunk has an owner, who adds it.",
   ask: "How much of the vector does one message carry now?", choices: () => ["all", "half", "a quarter", "an eighth"],
   right: () => ({1: "a quarter", 2: "half", 4: "all"})[guideRun("round_robin").steps[0].messages[0][3]],
   because: () => "Each rank sends every owner its chunk, one per step, and the owners send back the finished chunks.", then: "all"},
  {algorithm: "round_robin", steps: [6, 6], say: () => "All ranks work in every step, and nobody sends a whole vector.",
   ask: "How much do all ranks together send, where the butterfly sends 8 vectors?", choices: () => ["3 vectors", "6 vectors", "8 vectors", "12 vectors"], right: () => vectorsSent("round_robin"),
   because: () => "Two times 3/4 of a vector for each rank: no algorithm without help of the network sends less."},
  {algorithm: "ring", steps: [0, 0], say: () => "Ring: the same chunks, but each rank sends to its neighbor only.",
   ask: "After how many steps is the first chunk complete somewhere?", choices: () => [1, 3, 4, 6],
   right: () => statesOf(guideRun("ring")).findIndex((cells) => cells.some((id) => isWhole(guideRun("ring"), id))),
   because: () => "A chunk collects one contribution in each step.", then: "complete"},
  {algorithm: "ring", steps: [3, 3], say: () => "Now every rank has one finished chunk.",
   ask: "How many steps does it take in all?", choices: () => [4, 5, 6, 8], right: () => guideRun("ring").steps.length,
   because: () => "The finished chunks go round once more, and overwrite.", then: "all"},
  {algorithm: "ring", steps: [6, 6], picture: "cross", cross: ["butterfly", "ring"], say: () => "Few steps are good for small vectors, few bytes for large ones: somewhere two curves cross.",
   ask: "Drag the line to the size at which the ring becomes faster than the butterfly on 16 ranks.",
   because: (size) => `They cross at ${sizeText(size)}: below, the time to start messages counts; above, the bytes.`},
  {algorithm: "butterfly", steps: [0, 1], engine: true, run: repeatedRun, say: () => "Last, a mistake: all ranks repeat the first step of the butterfly.",
   ask: "Ranks 0 and 1 had 3 + 1 after the first time. What does rank 1 hold after the second?", choices: () => [4, 5, 7, 8],
   right: () => { const run = repeatedRun(); return sumOf(contributors(run, statesOf(run).at(-1)[run.fault.rank * GUIDE_RANKS + run.fault.chunk])); },
   because: () => `Not 3 + 1, and you see why: two colors are there twice. The verifier says: ${repeatedRun().fault.text}.`, then: "all"},
  {algorithm: "ring", steps: [6, 6], say: () => "You have seen six algorithms. Compare them at your own sizes, break them, or write your own.", last: true},
];
const timesText = (factor) => factor < 1.2 ? "as long" : `about ${factor.toPrecision(2)} times`;
const stopsHere = () => STOPS.filter(({engine}) => !engine || !precomputed);
