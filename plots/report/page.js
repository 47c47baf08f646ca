// --- The page: everything of the records that are chosen --------------------------------------------------------------

function show() {
  for (const id of ["summary", "charts", "tables"]) byId(id).replaceChildren();
  summarize();
  const timed = data.records.some(({kind}) => Object.hasOwn(KINDS, kind)), groups = trainings(data.records);
  const figures = timed ? [chart("bytes", "Time against size"), chart("ranks", "Time against ranks"), rankTimes()] : [];
  figures.push(groupFigure("efficiency", "Efficiency on more GPUs or workers", efficiencies(groups), drawEfficiency),
               groupFigure("steps", "What a step takes", groups, drawSteps));
  for (const fit of figures) fit();
  byId("h-charts").hidden = !byId("charts").children.length;
  byId("lines").hidden = !timed;
  const kinds = unique(data.records.map((record) => record.kind));
  for (const kind of unique(["count", "verify", "simulate", "run", ...kinds])) if (kinds.includes(kind)) table(kind);
}

byId("error").hidden = true;
if (data === null) complain("This is the template of the report, without data: `arlab report` fills it in.");
else {
  data.all = data.records;
  document.querySelector("main").hidden = false;
  provenance();
  addFilters(data.records);
  addExplorer();
  show();
}
document.documentElement.dataset.ready = "yes";
