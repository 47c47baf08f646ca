// --- Cost: claimed by the formula, counted in the programs, sent in the simulation ---------------------------------------------

// Inserts the numbers into a formula: "2m(m-1)" on 8 ranks is "2 · 8 · (8-1)". Words stay unchanged.
function withNumbers(formula, ranks, elements) {
  const tokens = formula.match(/log2|[A-Za-z-]{2,}|[mN]|\d+|\S/g), value = (token) => /^([mN)]|\d+)$/.test(token);
  const numbers = {m: String(ranks), N: elements.toLocaleString("en")};
  return tokens.map((token, i) => {
    const before = tokens[i - 1], starts = /^([mN(]|\d+|log2|ceil|floor)$/.test(token) && !(token === "(" && /^(\+|floor)$/.test(tokens[i + 1]));
    const gap = i === 0 || before === "(" || before === "-" || token === ")" || token === "-" || before === "ceil" ? "" :
      starts && value(before) ? " · " : " ";
    return gap + (numbers[token] ?? token);
  }).join("");
}

function costView(view) {
  const nothing = {last: 0, unit: "", show: () => view.dataset.said};
  const said = [];
  for (const name of onView()) {
    const algorithm = algorithmNamed(name), run = runOf(name), simulated = simulatedOf(name);
    const figure = add(view, "figure", {class: "cost"});
    add(add(figure, "figcaption"), "b", {}, `${algorithm.label}, ${plural(state.ranks, "rank")}, ${plural(state.elements, "element")}`);
    const table = add(add(figure, "div", {class: "scroll"}), "table"), head = add(add(table, "thead"), "tr"), body = add(table, "tbody");
    for (const text of ["", "formula (m ranks, N elements)", "with numbers", "claimed", "counted", "simulated"]) add(head, "th", {scope: "col"}, text);
    let right = true;
    for (const [what, key] of [["messages", "messages"], ["elements sent", "elements"], ["rounds", "rounds"]]) {
      const row = add(body, "tr", {"data-what": key}), formula = algorithm.formula[key];
      add(row, "th", {scope: "row"}, what);
      add(row, "td", {}, formula);
      add(row, "td", {class: "numbers"}, withNumbers(formula, state.ranks, state.elements));
      const values = [run.claimed[key], run.counted[key], simulated.sent[key]];
      for (const value of values) {
        const differs = value !== values[0];
        right &&= !differs;
        add(row, "td", {class: `number${differs ? " differs" : ""}`}, `${differs ? "≠ " : ""}${value.toLocaleString("en")}`);
      }
    }
    const facts = [...(run.layout ? [`Here: ${run.layout}.`] : []), `Simulated time ${picoText(simulated.finish)}. ${criticalText(simulated)}`,
                   run.fault ? run.fault.text : `Proved: every rank ends with every contribution exactly once${run.same_on_all_ranks ? ", added in the same order on all ranks" : ", but not added in the same order on all ranks: floating-point results may differ in the last bits"}.`];
    for (const fact of facts) add(figure, "p", {}, fact);
    const order = add(figure, "p", {}, "Chunk 0 is added as ");
    add(order, "code", {}, run.bracketing);
    add(figure, "p", {class: "quiet"}, `${sentenceOf(algorithm.idea)} ${sentenceOf(algorithm.source)}`);
    said.push(`${algorithm.label}: claimed, counted and simulated ${right ? "agree" : "differ"}.`);
  }
  view.dataset.said = said.join(" ");
  if (onView().length > 1) view.classList.add("two");
  return nothing;
}
