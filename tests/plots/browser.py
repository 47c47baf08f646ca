"""A headless Chromium for tests, by the DevTools protocol over a pipe: pages, scripts, pictures, what went wrong."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--remote-debugging-pipe",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars")


class Browser:
    """One browser with one page. `console`: what the page wrote there, and its errors; `requests`: addresses it asked for."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()

        def pipes() -> None:  # the protocol's ends are 3 and 4
            first, second = fcntl.fcntl(to_read, fcntl.F_DUPFD, 64), fcntl.fcntl(to_write, fcntl.F_DUPFD, 64)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen([str(BROWSER), *FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"],
                                        preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.number = 0
        self.console: list[str] = []
        self.requests: list[str] = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)
        os.close(self.write_end)
        os.close(self.read_end)
        self.folder.cleanup()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def _read(self, timeout: float = 60) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], timeout)[0]:
                raise AssertionError("the browser does not answer")
            part = os.read(self.read_end, 1 << 20)
            if not part:
                raise AssertionError("the browser has ended")
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(line)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.console.append(str([one.get("value", one.get("description")) for one in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.console.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def size(self, width: int, height: int, dark: bool = False, motion: bool = False) -> None:
        """Sets the window, and what the reader prefers: without motion a page is at once where it goes."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        moves = {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[scheme, moves])

    def open(self, address: str, until: str = "document.documentElement?.dataset.ready") -> None:
        """A fresh load, also where only what follows # differs; waits for `until`."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait(until)

    def wait(self, until: str, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(f"Boolean({until})"):
                    return
            except AssertionError as error:
                if "context" not in str(error):  # the page is being exchanged
                    raise
            time.sleep(0.02)
        raise AssertionError(f"never came: {until}; console: {self.console}")

    def run(self, script: str) -> Any:
        """The value of an expression in the page; awaited if it is a promise."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True,
                           userGesture=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def key(self, key: str) -> None:
        codes = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, " ": 32, "Enter": 13, "Tab": 9, "Escape": 27, **{str(digit): 48 + digit for digit in range(10)}}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes[key],
                      text={" ": " ", "Enter": "\r"}.get(key, key if len(key) == 1 else "") if kind == "keyDown" else "")

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
