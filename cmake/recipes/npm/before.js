// Runs before the program: passes on what Node knows of the process and Emscripten does not.
(() => {
  const files = require("node:fs");
  const terminals = require("node:tty");

  const endedReader = 128 + 13; // as a shell reports a process that SIGPIPE has ended
  const pause = new Int32Array(new SharedArrayBuffer(4));

  // Another process may have made a pipe or a terminal return at once: then wait and try again.
  const patiently = (call) => {
    for (;;) {
      try {
        return call();
      } catch (error) {
        if (error.code !== "EAGAIN") throw error;
        Atomics.wait(pause, 0, 0, 1);
      }
    }
  };

  const { readSync, writeSync } = files;
  files.writeSync = (descriptor, ...rest) => {
    try {
      return patiently(() => writeSync(descriptor, ...rest));
    } catch (error) {
      if (error.code === "EPIPE") process.exit(endedReader);
      throw error;
    }
  };
  files.readSync = (descriptor, buffer, offset, length, position) => {
    try {
      return patiently(() => readSync(descriptor, buffer, offset, length, position));
    } catch (error) {
      if (error.code === "EOF") return 0; // so Windows ends a pipe
      if (error.code !== "ESPIPE") throw error;
      return patiently(() => readSync(descriptor, buffer, offset, length, null)); // /dev/stdin, a pipe
    }
  };

  // The rows and columns of a terminal.
  const size = (descriptor) => {
    const [columns, rows] = new terminals.WriteStream(descriptor).getWindowSize();
    return [rows, columns];
  };

  Module.thisProgram = "arlab";
  Module.preRun = () => Object.assign(ENV, process.env);
  Module.onRuntimeInitialized = () => {
    for (const descriptor of [0, 1, 2]) {
      const terminal = { ops: { ioctl_tiocgwinsz: () => size(descriptor) } };
      FS.getStream(descriptor).tty = terminals.isatty(descriptor) && terminal;
    }
  };
  Module.quit = (status) => process.exit(status);
})();
