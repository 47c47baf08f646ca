#!/usr/bin/env node
// Starts the program, which is WebAssembly with exceptions.

const oldest = 18;
if (Number.parseInt(process.versions.node, 10) < oldest) {
  console.error(`error: this is Node ${process.versions.node}: install version ${oldest} or newer`);
  process.exit(3);
}
require("../lib/arlab.js");
