// --- Cost: claimed by the formula, counted in the programs, sent in the simulation ---------------------------------------------

const FUNCTION = /^(ceil|floor|sum|log_?\w*)$/;
// Words that are no functions make an explanation of what stands in brackets, and of what follows a comma.
const explains = (text) => (text.match(/[A-Za-z]{2,}/g) ?? []).some((word) => !FUNCTION.test(word));

// Inserts the numbers into a formula: "2m(m-1)" on 8 ranks is "2 · 8 · (8-1)". `letters` holds the values by letter; "d", of
// sizes, is a list. Letters without a value and words stay unchanged.
function withNumbers(formula, letters) {
  const known = (letter) => Object.hasOwn(letters, letter);
  const text = (letter) => known(letter) ? [letters[letter]].flat().map((n) => n.toLocaleString("en")).join(", ") : letter;
  const comma = formula.indexOf(", "), end = comma < 0 ? formula.length : comma;
  const sums = formula.slice(0, end).replace(/sum\((\w)-1\)/g, (whole, letter) => known(letter) ? `(${[letters[letter]].flat().map((n) => `(${n}-1)`).join("+")})` : whole);
  const parts = sums.split(/(\((?:[^()]|\([^()]*\))*\))/).filter(Boolean);  // brackets apart
  const tokens = [];
  for (const part of parts) {
    if (part.startsWith("(") && explains(part)) tokens.push(part.replace(/(?<!\w)[A-Za-z](?!\w)/g, text));
    else tokens.push(...part.match(/log_?\w*|[A-Za-z]{2,}|[A-Za-z]|\d+|\S/g) ?? []);
  }
  const isValue = (token) => /^(\d+|[A-Za-z]|.*\))$/.test(token), starts = (token) => isValue(token) && !(token === ")" || explains(token)) || token === "(" || FUNCTION.test(token);
  const written = tokens.map((token, i) => {
    const before = tokens[i - 1];
    const tight = i === 0 || before === "(" || before === "-" || token === ")" || token === "-" || (token === "(" && FUNCTION.test(before)) || before === "ceil" || before === "floor";
    const gap = tight ? "" : starts(token) && isValue(before) ? " · " : " ";
    return gap + (/^[A-Za-z]$/.test(token) ? text(token) : token.replace(/^log_(\w)$/, (whole, letter) => `log_${text(letter)}`));
  }).join("");
  return written + formula.slice(end).replace(/(?<!\w)[A-Za-z](?!\w)/g, text);
}

// The formulas are of one segment; each segment sends as many messages.
function numbersText(formula, key, run) {
  const written = withNumbers(formula, {...run.letters, m: state.ranks, N: state.elements});
  if (run.segments === 1 || key === "elements") return written;
  return key === "messages" ? `${run.segments} segments · (${written})` : `${written}, of one segment`;
}

function costView(view) {
  const nothing = {last: 0, unit: "", show: () => view.dataset.said};
  const said = [];
  for (const name of onView()) {
    const algorithm = algorithmNamed(name), run = runOf(name, 0);
    if (run.fault) {
      add(add(view, "figure", {class: "cost"}), "p", {class: "wrong"}, `${algorithm.label} has no cost, since it is wrong. ${run.fault.kind}: ${run.fault.text}.`);
      continue;
    }
    const simulated = simulatedOf(name);
    const figure = add(view, "figure", {class: "cost"});
    add(add(figure, "figcaption"), "b", {}, `${algorithm.label}, ${plural(state.ranks, "rank")}, ${plural(state.elements, "element")}`);
    const table = add(add(figure, "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Costs"}), "table"), head = add(add(table, "thead"), "tr"), body = add(table, "tbody");
    for (const text of ["", "formula (m ranks, N elements)", "with numbers", "claimed", "counted", "simulated"]) add(head, "th", {scope: "col"}, text);
    const claims = algorithm.formula !== NO_FORMULA;
    let right = true;
    for (const [what, key] of [["messages", "messages"], ["elements sent", "elements"], ["rounds", "rounds"]]) {
      const row = add(body, "tr", {"data-what": key}), formula = algorithm.formula[key];
      add(row, "th", {scope: "row"}, what);
      add(row, "td", {}, formula);
      add(row, "td", {class: "numbers"}, numbersText(formula, key, run));
      const values = [...(claims ? [run.claimed[key]] : []), run.counted[key], simulated.sent[key]];
      if (!claims) add(row, "td");
      for (const value of values) {
        const differs = value !== values[0];
        right &&= !differs;
        add(row, "td", {class: `number${differs ? " differs" : ""}`}, `${differs ? "≠ " : ""}${value.toLocaleString("en")}`);
      }
    }
    const facts = [...(run.layout ? [`Here: ${run.layout}.`] : []), `Simulated time ${picoText(simulated.finish)}. ${criticalText(simulated)}`,
                   `Proved: every rank ends with every contribution exactly once${run.same_on_all_ranks ? ", added in the same order on all ranks" : ", but not added in the same order on all ranks: floating-point results may differ in the last bits"}.`];
    for (const fact of facts) add(figure, "p", {}, fact);
    const order = add(figure, "p", {}, "Chunk 0 is added as ");
    add(order, "code", {}, run.bracketing);
    add(figure, "p", {class: "quiet"}, [algorithm.idea, algorithm.source].filter(Boolean).map(sentenceOf).join(" "));
    said.push(`${algorithm.label}: ${claims ? "claimed, " : ""}counted and simulated ${right ? "agree" : "differ"}.`);
  }
  view.dataset.said = said.join(" ");
  if (onView().length > 1) view.classList.add("two");
  return nothing;
}
