// --- The explorer in a frame ----------------------------------------------------------------------------------------

// It starts with an algorithm of the records that it knows.
function addExplorer() {
  if (explorer === null) return;
  byId("explorer").hidden = false;
  byId("open-explorer").addEventListener("click", () => {
    const record = data.records.find(({algorithm, ranks}) => algorithm && ranks >= 2 && ranks <= 64);
    const start = record ? new URLSearchParams({algorithm: record.algorithm, ranks: record.ranks, elements: record.elements ?? 262144}) : "";
    const frame = add(byId("explorer"), "iframe", {title: "Explorer", name: String(start)});
    frame.srcdoc = explorer;
    byId("open-explorer").hidden = true;
    frame.scrollIntoView();
  });
}
