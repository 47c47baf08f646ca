// --- Glossary: words whose meaning a reader gets by pointing at them, or by the keyboard -----------------------------------

// The build inserts docs/reference/glossary.md, a table of terms and meanings.
const meanings = new Map();
function readGlossary() {
  for (const line of byId("glossary").textContent.split("\n")) {
    const found = /^\| ([^|]+) \| (.+) \|$/.exec(line);
    if (!found || found[1] === "term") continue;
    const meaning = found[2].replace(/ ?\(\[[^\]]*\]\([^)]*\)\)/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/`/g, "");
    for (const term of found[1].split(", ")) meanings.set(term, meaning);
  }
}
const meaningOf = (word) => {
  const plain = word.toLowerCase();
  return meanings.get(plain) ?? meanings.get(plain.replace(/s$/, ""));
};

// Marks the first occurrence of each term in a text.
function addTerms(node, text) {
  const seen = new Set();
  for (const part of text.split(/([A-Za-z]+)/)) {
    const word = part.toLowerCase().replace(/s$/, "");
    if (!/^[A-Za-z]{4,}$/.test(part) || seen.has(word) || !meaningOf(part)) {
      node.append(part);
      continue;
    }
    seen.add(word);
    add(node, "span", {class: "term", tabindex: 0, role: "term", "data-term": part, "aria-describedby": "tip"}, part);
  }
}

// Shows the meaning of what is pointed at or focused.
function addTips() {
  const tip = byId("tip");
  const show = ({target}) => {
    const node = target.closest?.("[data-term]"), meaning = node && meaningOf(node.dataset.term);
    tip.hidden = !meaning;
    if (!meaning) return;
    tip.textContent = `${node.dataset.term}: ${meaning}.`;
    const box = node.getBoundingClientRect(), width = Math.min(320, innerWidth - 16);
    tip.style.width = `${width}px`;
    tip.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, box.left))}px`;
    const below = box.bottom + 6, above = box.top - tip.offsetHeight - 6;
    tip.style.top = `${below + tip.offsetHeight < innerHeight || above < 0 ? below : above}px`;
  };
  addEventListener("pointerover", show);
  addEventListener("focusin", show);
  addEventListener("keydown", ({key}) => { if (key === "Escape") tip.hidden = true; });
}
