// Downloads: a chart as SVG, with the colors that it has here, and a table as CSV.

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];

// The drawing alone, whose styles no longer come from the page.
function svgText(svg) {
  const copy = svg.cloneNode(true), box = svg.viewBox.baseVal;
  const [from, to] = [svg, copy].map((node) => [node, ...node.querySelectorAll("*")]);
  to.forEach((node, i) => {
    const style = getComputedStyle(from[i]);
    node.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  copy.querySelector(".guide")?.remove();
  for (const node of [copy, ...copy.querySelectorAll("*")]) for (const name of ["class", "tabindex", "data-label"]) node.removeAttribute(name);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  const page = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({width: "100%", height: "100%", fill: getComputedStyle(svg.closest("figure")).backgroundColor})) page.setAttribute(name, value);
  copy.prepend(page);
  return new XMLSerializer().serializeToString(copy);
}

function addSvgButton(caption, figure) {
  const button = add(caption, "button", {type: "button", class: "save", title: "Save this chart as SVG"}, "SVG");
  button.addEventListener("click", () => {
    const svg = figure.querySelector("svg");
    if (svg) saveText(svgText(svg), `${figure.id}.svg`, "image/svg+xml");
  });
}

// RFC 4180: quotes around what has separators, and doubled inside.
function csvText(columns, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
