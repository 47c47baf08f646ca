// --- Sources of the numbers --------------------------------------------------------------------------------------

function provenance() {
  const origin = [data.generated, plural(data.records.length, "record"), (data.files ?? []).join(", ")];
  byId("origin").textContent = origin.filter(Boolean).join(" · ");
  const machines = new Map();
  for (const {schema, kind, date, command, file, launch, ...machine} of data.contexts ?? []) {
    machines.set(JSON.stringify(machine), machine);
  }
  for (const machine of machines.values()) {
    const list = add(byId("environment"), "dl");
    for (const [key, value] of Object.entries(machine)) {
      if (value === null) continue;
      add(list, "dt", {}, key);
      add(list, "dd", {}, cellText(value));
    }
  }
  if (!machines.size) add(byId("environment"), "p", {class: "quiet"}, "The files hold no context lines.");
  for (const {command, date} of data.contexts ?? []) {
    if (!command) continue;
    const item = add(byId("reproduce"), "li");
    add(item, "code", {}, command);
    if (date) add(item, "span", {class: "quiet"}, `  ${date}`);
  }
  if (data.command) add(add(byId("reproduce"), "li"), "code", {}, data.command);
  byId("files").textContent = (data.files ?? []).length ? `Every number comes from ${data.files.join(", ")}.` : "";
}
