// --- The network: its links and their loads ---------------------------------------------------------------------

const networkOf = (pairs = []) => ask("network", {ranks: state.ranks, topology: state.topology || undefined, pairs: pairs.length ? pairs : undefined});

function cablePath(network, [from, to, bow], aside = 0) {
  const [x, y] = network.nodes[from], [u, v] = network.nodes[to], length = Math.hypot(u - x, v - y) || 1;
  const [ax, ay] = [-(v - y) / length * aside, (u - x) / length * aside];
  const [mx, my] = [(x + u) / 2 - (v - y) * bow, (y + v) / 2 + (u - x) * bow];
  return `M${(x + ax).toFixed(1)},${(y + ay).toFixed(1)}Q${(mx + ax).toFixed(1)},${(my + ay).toFixed(1)} ${(u + ax).toFixed(1)},${(v + ay).toFixed(1)}`;
}

// Below the messages of a step: the cables, those in use in the color of their messages, and the switches.
function drawNetwork(svg, network, messages) {
  add(svg, "path", {class: "cable", d: network.links.map((link) => cablePath(network, link)).join("")});
  const pairs = unique(messages.map(([from, to]) => `${from},${to}`)), used = {add: new Set(), over: new Set()};
  const kindOf = new Map(messages.map(([from, to, , , adds]) => [`${from},${to}`, adds ? "add" : "over"]));
  pairs.slice(0, network.routes.length).forEach((pair, i) => network.routes[i].forEach((link) => used[kindOf.get(pair)].add(link)));
  for (const [kind, links] of Object.entries(used)) {
    if (links.size) add(svg, "path", {class: `used ${kind}`, d: [...links].map((link) => cablePath(network, network.links[link], 3)).join("")});
  }
  for (const [x, y, name, host] of network.nodes) {
    if (host) continue;
    const box = add(svg, "rect", {class: "rank", x: (x - 8).toFixed(1), y: (y - 8).toFixed(1), width: 16, height: 16});
    add(box, "title", {}, name);
  }
}

// A color scale for light and dark themes: blue through amber to red.
function heat(utilization) {
  const stops = [[0, [120, 150, 190]], [0.35, [86, 180, 233]], [0.65, [230, 159, 0]], [1, [213, 50, 20]]];
  const i = Math.max(1, stops.findIndex(([at]) => utilization <= at)), [[a, low], [b, high]] = [stops[i - 1], stops[i]];
  const part = Math.max(0, Math.min(1, (utilization - a) / (b - a)));
  return `rgb(${low.map((c, k) => Math.round(c + part * (high[k] - c))).join(" ")})`;
}

// The view of link loads: one map per algorithm, its links colored by utilization.
function networkView(view) {
  if (!modelNow().has_links) {
    const figure = add(view, "figure"), linked = catalog.models.find((one) => one.has_links);
    const nothing = {last: 0, unit: "", show: () => ""};
    if (!linked) {
      add(figure, "p", {}, "This build has no model with links.");
      return nothing;
    }
    add(figure, "p", {}, `The model ${state.model} has ports but no links. ${linked.name}: ${linked.idea}.`);
    const button = add(figure, "button", {type: "button", id: "use-links"}, `Use the model ${linked.name}`);
    button.disabled = Boolean(precomputed);
    button.addEventListener("click", () => { state.model = linked.name; state.parameters = {}; render(); });
    return nothing;
  }
  const network = networkOf();
  view.classList.add("two");
  for (const name of onView()) {
    const algorithm = algorithmNamed(name), {loads, finish} = simulatedOf(name);
    const {figure} = panel(view, `${algorithm.label} on ${network.spec}: ${picoText(finish)}`, "tall");
    const max = Math.max(...loads.map(([, , utilization]) => utilization), 1e-12);
    const svg = add(figure, "svg", {viewBox: `0 0 ${network.width} ${network.height}`, role: "img", class: "heat", "aria-label": loadText(loads)});
    network.links.forEach((link, i) => {
      const [label, bytes, utilization] = loads[i];
      const path = add(svg, "path", {d: cablePath(network, link, 4), fill: "none", stroke: heat(utilization / max), "stroke-width": (1.5 + 6 * utilization / max).toFixed(1),
                                     "data-share": utilization});
      add(path, "title", {}, `${label}: ${sizeText(bytes)}, ${(100 * utilization).toFixed(1)}% of its capacity in that time`);
    });
    network.nodes.forEach(([x, y, label, host]) => {
      const r = Math.max(6, Math.min(20, 330 / state.ranks));
      const node = host ? add(svg, "circle", {class: "rank", cx: x, cy: y, r}) : add(svg, "rect", {class: "rank", x: x - 8, y: y - 8, width: 16, height: 16});
      add(node, "title", {}, label);
    });
    network.hosts.forEach((host, rank) => {
      const [x, y] = network.nodes[host];
      if (state.ranks <= 32) add(svg, "text", {class: "middle ink", x, y: y + 5, style: `font-size: ${state.ranks <= 16 ? 17 : 11}px`, "pointer-events": "none"}, String(rank));
    });
    fitBox(svg);
    add(figure, "p", {class: "quiet"}, `Width and color: utilization relative to the most utilized link, which has ${(100 * max).toFixed(1)}%.`);
    const beside = onView().length === 1 ? add(view, "figure") : figure;
    const scroll = add(beside, "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Most utilized links"});
    const table = add(scroll, "table"), head = add(add(table, "thead"), "tr"), body = add(table, "tbody");
    for (const text of ["link", "carried", "utilization"]) add(head, "th", {scope: "col"}, text);
    for (const [label, bytes, utilization] of [...loads].sort((a, b) => b[2] - a[2]).slice(0, 12)) {
      const row = add(body, "tr");
      for (const text of [label, sizeText(bytes), `${(100 * utilization).toFixed(1)}%`]) add(row, "td", {}, text);
    }
  }
  return {last: 0, unit: "", show: () => onView().map((name) => `${algorithmNamed(name).label}: ${loadText(simulatedOf(name).loads)}`).join(" ")};
}
function loadText(loads) {
  const sorted = [...loads].sort((a, b) => b[2] - a[2]), idle = loads.filter(([, bytes]) => bytes === 0).length;
  return `Most utilized link ${sorted[0][0]} with ${(100 * sorted[0][2]).toFixed(1)}%; ${idle} of ${loads.length} links idle.`;
}
