// --- Quiz: the learner predicts which rank sends next to a given rank, and which chunk -----------------------------

const quiz = {step: 0, to: 0, from: null, right: 0, asked: 0, about: ""};

function quizView(view) {
  const algorithm = algorithmNamed(state.algorithm), run = runOf(algorithm.name), ranks = state.ranks;
  const steps = run.steps.map(({messages}, i) => [i + 1, messages]).filter(([, messages]) => messages.length);
  const next = (random) => {
    const [step, messages] = steps[Math.floor(random() * steps.length) % steps.length];
    const to = messages[Math.floor(random() * messages.length) % messages.length][1];
    Object.assign(quiz, {step, to, from: null});
  };
  const about = request("run", laneRequest(algorithm.name));
  if (quiz.about !== about) {
    Object.assign(quiz, {about, right: 0, asked: 0});
    next(Math.random);
  }
  const head = add(view, "figure", {style: "grid-column: 1 / -1"});
  const question = add(head, "p", {id: "question", "aria-live": "polite"}), verdict = add(head, "p", {id: "quiz-verdict", "aria-live": "polite"});
  const edits = add(head, "div", {class: "edits"}), another = add(edits, "button", {type: "button", id: "quiz-next"}, "Another question");
  const score = add(edits, "span", {id: "score", class: "quiet"});
  const {figure} = panel(view, "who sends? click the rank", "tall"), svg = add(figure, "svg", {viewBox: `0 0 ${SIDE} ${SIDE}`, class: "stage", role: "group", "aria-label": "Ranks to choose from"});
  const grid = holdingsPanel(view, run, "which chunk? click a column", {onChunk: pickChunk});
  view.classList.add("two");

  const coming = () => run.steps[quiz.step - 1].messages.filter(([, to]) => to === quiz.to);
  const draw = () => {
    question.textContent = `${algorithm.label}${laneText(run)}, before step ${quiz.step} of ${run.steps.length}. The grid shows what every rank holds now. ` +
      (quiz.from === null ? `Who sends to rank ${quiz.to} next?` : `Correct, rank ${quiz.from}. Which chunk does it send?`);
    score.textContent = `${quiz.right} of ${quiz.asked} right`;
    svg.replaceChildren();
    drawStage(svg, stage(ranks, [], true), [], {onRank: pickRank, chosen: quiz.to});
    grid.paint(quiz.step - 1);
  };
  const tell = (right, text) => {
    verdict.className = right ? "right" : "wrong";
    verdict.textContent = `${right ? "✓ Right" : "✗ No"}: ${text}`;
  };
  const count = (right) => { quiz.asked += 1; quiz.right += right ? 1 : 0; };
  function pickRank(rank) {
    if (quiz.from !== null) return;
    const right = coming().some(([from]) => from === rank), senders = unique(coming().map(([from]) => from));
    count(right);
    if (right) quiz.from = rank;
    tell(right, right ? `rank ${rank} sends to rank ${quiz.to}.` : `rank ${rank} sends nothing to rank ${quiz.to} in this step. ${hint(senders)}`);
    draw();
    (right ? grid.svg.querySelector(".column") : svg.querySelector(`[data-rank="${rank}"]`)).focus({preventScroll: true});  // for keys
  }
  function pickChunk(chunk) {
    if (quiz.from === null) return tell(false, "first click the rank that sends.");
    const message = coming().find(([from]) => from === quiz.from), [, , first, many, adds, , , stride] = message;
    const right = chunksOf(first, many, stride, ranks).includes(chunk);
    count(right);
    tell(right, right ? `${messageText(message, ranks)} it.` : `rank ${quiz.from} does not send chunk ${chunk} now. ${adds ? "The receiver must still add the chunk that it sends." : "It sends a finished chunk."}`);
    if (!right) return void(score.textContent = `${quiz.right} of ${quiz.asked} right`);
    next(Math.random);
    setTimeout(() => question.isConnected && draw(), 1400);
  }
  const hint = (senders) => {
    const away = Math.min(...senders.map((from) => Math.min((from - quiz.to + ranks) % ranks, (quiz.to - from + ranks) % ranks)));
    return `The sender is ${plural(away, "place")} away on the circle.`;
  };
  another.addEventListener("click", () => { next(Math.random); verdict.textContent = ""; draw(); });
  draw();
  return {last: 0, unit: "", show: () => ""};
}
