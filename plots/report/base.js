// Functions that the report and the explorer share. The build inserts this file into both pages.

// --- Elements: the only places that touch the page, with text as plain text -------------------------------------------------

const byId = (id) => document.getElementById(id);

function add(parent, tag, attributes = {}, text = null) {
  const drawing = tag === "svg" || parent.namespaceURI.endsWith("svg");
  const node = drawing ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== null) node.textContent = plainText(text);
  parent.append(node);
  return node;
}

// Control characters, and those that reverse text, would garble what stands beside them.
const plainText = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

function saveText(text, file, type) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = add(document.body, "a", {href: address, download: file, hidden: ""});
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function complain(message) {
  byId("error").hidden = false;
  byId("error").textContent = message;
  document.documentElement.dataset.error = message;
}
addEventListener("error", ({message}) => complain(`This page's script failed: ${message}. Other files are unharmed.`));

// --- Values -----------------------------------------------------------------------------------------------------------

const get = (record, path) => path.split(".").reduce((value, key) => value?.[key] ?? null, record);
const unique = (values) => [...new Set(values)];
const ascending = (values) => unique(values).sort((a, b) => a - b);
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

function scaled(value, units) {
  const [scale, unit] = units.find(([at]) => value >= at) ?? units.at(-1);
  return `${Number((value / scale).toPrecision(4))} ${unit}`;
}
const SIZES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const TIMES = [[1e6, "s"], [1e3, "ms"], [1, "µs"], [1e-3, "ns"], [1e-6, "ps"]];
const sizeText = (bytes) => scaled(bytes, SIZES);
const timeText = (us) => scaled(us, TIMES);
const rangeText = ([low, high]) => {
  const [a, b] = [timeText(low), timeText(high)], unit = b.split(" ")[1];
  return a.endsWith(` ${unit}`) ? `${a.split(" ")[0]} – ${b}` : `${a} – ${b}`;
};
const ranksText = (ranks) => plural(ranks, "rank");

// --- Colors: those of the records, darkened only as far as reading needs (WCAG contrast) --------------------

const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function readable(hex, page, ink) {
  if (luminance(channels(hex)) < 0.01) return ink;  // black means the ink color of the page
  let rgb = channels(hex);
  const contrast = () => {
    const [low, high] = [luminance(rgb), luminance(channels(page))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  for (let step = 0; step < 40 && contrast() < 4.5; ++step) {
    rgb = rgb.map((c, i) => c + 0.06 * (channels(ink)[i] - c));
  }
  return `rgb(${rgb.map(Math.round).join(" ")})`;
}
function tone(node, color) {
  const hex = /^#[0-9a-f]{6}$/i.test(color) ? color : "#6b7280";
  node.classList.add("tone");
  node.style.setProperty("--light", hex);
  node.style.setProperty("--light-word", readable(hex, "#f6f7f9", "#000000"));
  node.style.setProperty("--dark", readable(hex, "#1d2125", "#ffffff"));
  return node;
}
