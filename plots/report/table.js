// --- Tables: one per kind, columns named by the records' keys ---------------------------------------------------------

const CLAIMS = ["messages", "elements_sent", "rounds"];
const COLUMNS = [
  "label", "algorithm", "family", "backend", "collective", "topology", "model", "machine", "compressor", "dtype", "op",
  "lanes", "segments", "ranks", "elements", "bytes",
  "time_us.median", "time_us.ci95", "time_us.min", "time_us.p99", "time_us.n", "modelled_us", "bound_us", "optimum_fraction", "algbw_gb_per_s", "busbw_gb_per_s",
  "wrong", "messages", "claimed.messages", "elements_sent", "claimed.elements_sent", "bytes_sent", "rounds",
  "claimed.rounds", "critical_path_us.message", "critical_path_us.send", "critical_path_us.receive",
  "critical_path_us.reduce", "critical_path_us.wait", "skipped"];
const HIDDEN = new Set(["schema", "kind", "color", "context", "time_us", "claimed", "critical_path_us", "rank_times_us"]);

function differs(record, column) {
  const claimed = column.startsWith("claimed.") ? get(record, column) : null;
  const counted = get(record, column.replace("claimed.", ""));
  return claimed !== null && counted !== null && claimed !== counted;
}

function cellText(value) {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(cellText).join(" – ");
  if (typeof value === "object") return JSON.stringify(value);
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(5)));
}

function compare(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return compare(a[0], b[0]);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en");
}

function table(kind) {
  const records = data.records.filter((record) => record.kind === kind);
  const origin = [...ORIGIN, "launch"].filter((key) => records.every((r) => !Object.hasOwn(r, key)));
  const read = (record, column) => origin.includes(column) ? contextOf(record)[column] ?? null : get(record, column);
  const differ = origin.filter((key) => unique(records.map((record) => JSON.stringify(read(record, key)))).length > 1);
  const others = unique(records.flatMap(Object.keys)).filter((key) => !HIDDEN.has(key) && !COLUMNS.includes(key));
  const valued = [...COLUMNS.slice(0, 2), ...differ, ...COLUMNS.slice(2), ...others].filter((column) => records.some((record) => read(record, column) !== null));
  const varies = (column) => unique(records.map((record) => JSON.stringify(read(record, column)))).length > 1;
  const kept = (column) => column === "label" || column === "wrong" || column.startsWith("claimed.") || varies(column);
  const constant = records.length > 1 ? valued.filter((column) => !kept(column)) : [];
  const columns = valued.filter((column) => !constant.includes(column));

  const section = add(byId("tables"), "section", {id: `table-${kind}`});
  const title = add(section, "h3", {}, `${kind}: ${plural(records.length, "record")} `);
  add(title, "button", {type: "button", class: "save", title: "Save all columns of these records as CSV"}, "CSV").addEventListener("click", () => {
    saveText(csvText(valued, records.map((record) => valued.map((column) => read(record, column)))), `${kind}.csv`, "text/csv");
  });
  if (constant.length) {
    const same = constant.map((column) => `${column} ${cellText(read(records[0], column))}`);
    add(section, "p", {class: "quiet"}, `The same in every row: ${same.join(", ")}.`);
  }
  const scroll = add(section, "div", {class: "scroll", tabindex: 0, role: "region", "aria-label": `${kind} records`});
  const whole = add(scroll, "table");
  const heads = add(add(whole, "thead"), "tr"), body = add(whole, "tbody");
  const isNumeric = (column) => records.every((record) => !["string", "boolean"].includes(typeof read(record, column)));
  const numeric = new Set(columns.filter(isNumeric));
  const rows = records.map((record) => {
    const row = add(body, "tr");
    for (const column of columns) {
      const cell = add(row, "td", numeric.has(column) ? {class: "number"} : {});
      const wrongly = differs(record, column);
      if (column === "label") tone(add(cell, "span", {class: "swatch"}), record.color);
      if (wrongly) cell.classList.add("differs");
      cell.append(column === "label" ? labelOf(record) : (wrongly ? "≠ " : "") + cellText(read(record, column)));
      if (column === "skipped" || column === "label") cell.title = cellText(read(record, column));
    }
    return {record, row};
  });
  for (const column of columns) {
    const head = add(heads, "th", {scope: "col", class: numeric.has(column) ? "number" : ""});
    const button = add(head, "button", {type: "button"});
    const parts = column.split(column.includes(".") ? /(?<=\.)/ : /(?<=_)/);
    for (const part of parts) button.append(part, document.createElement("wbr"));
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = ({record: a}, {record: b}) => {  // absent values last either way
        const [left, right] = [read(a, column), read(b, column)];
        if (left === null || right === null) return (left === null) - (right === null);
        return up ? compare(left, right) : compare(right, left);
      };
      body.append(...rows.sort(order).map(({row}) => row));
    });
  }
}
