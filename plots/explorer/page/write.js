// --- Write: the reader's own algorithm, proved, counted, animated, and timed as it is typed ---------------------------------

let written = null;  // the last schedule that ran: {rounds, lines, ranks}

function writeView(view) {
  const nothing = {last: 0, unit: "", show: () => ""};
  if (precomputed) {
    add(add(view, "figure"), "p", {}, `Your own algorithm needs the verifier, which this page does not contain. For a page with it: ${howToGetEngine}.`);
    return nothing;
  }
  view.classList.add("write");
  const figure = add(view, "figure", {class: "editor"}), bar = add(figure, "div", {class: "edits"});
  const from = add(add(bar, "label", {class: "quiet"}, "start from "), "select", {id: "example"});
  add(from, "option", {value: ""}, "…");
  for (const name of Object.keys(EXAMPLES)) add(from, "option", {value: name}, algorithmNamed(name).label);
  const share = add(bar, "button", {type: "button", id: "share"}, "Copy link to this program"), save = add(bar, "button", {type: "button", id: "save-json"}, "Save as JSON");
  const box = add(figure, "div", {class: "code"}), gutter = add(box, "pre", {id: "gutter", "aria-hidden": "true"});
  const editor = add(box, "textarea", {id: "program", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": "Your program", "aria-describedby": "program-help", wrap: "off"});
  editor.value = state.program || EXAMPLES[FIRST_SHOWN];
  const verdict = add(figure, "div", {class: "verdict", id: "written", role: "status"}), facts = add(figure, "p", {id: "written-facts"});
  add(figure, "p", {class: "quiet", id: "program-help"}, HELP);
  const right = add(view, "div", {class: "result"}), tasks = {asked: 0};

  const mark = (line) => {
    gutter.replaceChildren();
    editor.value.split("\n").forEach((_, i) => add(gutter, "span", {class: i + 1 === line ? "bad-line" : ""}, `${i + 1}\n`));
    editor.style.height = `${Math.max(11, editor.value.split("\n").length + 1) * 1.45}em`;
  };
  const goToLine = (line) => {
    const lines = editor.value.split("\n"), start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    editor.focus();
    editor.setSelectionRange(start, start + lines[line - 1].length);
  };
  const tell = (good, text, line = 0) => {
    verdict.className = `verdict${good ? "" : " wrong"}`;
    verdict.replaceChildren();
    if (line > 0) add(verdict, "button", {type: "button", id: "to-line"}, `line ${line}`).addEventListener("click", () => goToLine(line));
    add(verdict, "span", {class: good ? "right" : "wrong", id: "written-verdict"}, text);
    mark(line);
  };
  const draw = (run, good) => {
    right.replaceChildren();
    const parts = stepsParts(right, run, {makeRequest: good ? () => writtenTask() : null, choice: false});
    present(showSteps([{...parts, label: ""}]));
  };
  const check = async () => {
    const number = ++tasks.asked, answer = await runProgram(editor.value, {ranks: state.ranks, root: state.root});
    if (number !== tasks.asked || !editor.isConnected) return;
    editor.dataset.checked = number;
    facts.textContent = "";
    written = answer.error ? null : {rounds: answer.schedule, ranks: state.ranks};
    save.disabled = !written;
    if (answer.error) return tell(false, `✗ ${answer.error}`, answer.line);
    try {
      const run = ask("run", writtenTask()), {fault} = run;
      draw(run, !fault);
      if (fault) return tell(false, `✗ ${fault.kind}: ${fault.text}`, lineOfFault(fault, answer));
      tell(true, `✓ Proved: on ${state.ranks} ranks every rank ends with every contribution exactly once.`);
      facts.textContent = writtenFacts(run);
    } catch (error) {
      tell(false, `✗ ${error.message}`);
    }
  };
  let timer;
  editor.addEventListener("input", () => {
    state.program = editor.value;
    tasks.asked += 1;  // what is under way is of an older text
    mark(0);
    clearTimeout(timer);
    timer = setTimeout(() => { writeLink(); check(); }, 350);
  });
  editor.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return save.focus();  // the tab key indents
    if (event.key !== "Tab" || event.shiftKey) return;
    event.preventDefault();
    editor.setRangeText("  ", editor.selectionStart, editor.selectionEnd, "end");
    editor.dispatchEvent(new Event("input"));
  });
  from.addEventListener("change", () => {
    if (!from.value) return;
    editor.value = EXAMPLES[from.value];
    editor.dispatchEvent(new Event("input"));
  });
  share.addEventListener("click", () => { state.program = editor.value; copyLink(share); });
  save.addEventListener("click", () => written && saveText(scheduleFile("mine", written.ranks, state.elements, state.root, written.rounds), "mine.json", "application/json"));
  mark(0);
  check();
  return nothing;
}

const writtenTask = () => ({own: [[1, written.rounds]], name: "your program", ranks: written.ranks, elements: state.elements, root: state.root});

function writtenFacts(run) {
  const {finish} = ask("simulate", {...writtenTask(), ...networkNow()}), bytes = 4 * state.elements;
  const {messages, elements, rounds} = run.counted, same = run.same_on_all_ranks ? "" : " Ranks add in different orders: floating-point results may differ in the last bits.";
  const times = curvesOf([bytes], {algorithms: SIX}).map(({name, times: [time]}) => [algorithmNamed(name).label, time]).filter(([, time]) => time > 0);
  const least = Math.min(...times.map(([, time]) => time)), best = times.filter(([, time]) => time === least).map(([label]) => label);
  return `${plural(messages, "message")}, ${plural(elements, "element")} sent, ${plural(rounds, "round")}. ` +
    `Simulated time ${picoText(finish)} for ${sizeText(bytes)}${bytes > 0 ? `; of the six, ${best.join(" or ")} takes ${picoText(least)}` : ""}.${same}`;
}

// The line that yielded the action a fault is about; 0 if it is about the end.
function lineOfFault({rank, round, chunk}, {schedule, lines}) {
  const actions = schedule[rank]?.[round - 1];
  if (!actions?.length) return 0;
  const at = actions.findIndex(([, , first, count, stride]) => chunksOf(first, count, stride, schedule.length).includes(chunk));
  return lines[rank][round - 1][Math.max(0, at)];
}
