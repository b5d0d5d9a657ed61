"""One headless browser, driven over two pipes by the protocol of its own developer tools.

https://chromedevtools.github.io/devtools-protocol/ names the methods; a message is JSON that ends with a NUL.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.browser import FLAGS

LONGEST = 16_000
"""Pixels of a picture's height."""


class Tab:
    """One page of the browser.

    Attributes:
        asked: addresses that it asked for since it was opened, in order.
    """

    def __init__(self, process: subprocess.Popen[bytes], given: int, told: int) -> None:
        self._process, self._given, self._told = process, given, told
        self._number, self._rest, self._session = 0, b"", ""
        self.asked: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Accessibility", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Carry out one method and wait for its answer."""
        self._number += 1
        session = {"sessionId": self._session} if self._session else {}
        message = {"id": self._number, "method": method, "params": parameters, **session}
        os.write(self._given, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                answer: dict[str, Any] = found["result"]
                return answer

    def open(self, page: Path) -> None:
        """Load a local file and wait until it is drawn."""
        self.asked.clear()
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.run("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))")

    def look(self, *, width: int, scheme: str = "light", medium: str = "screen", height: int = 900) -> None:
        """Choose how wide the page is in pixels, `light` or `dark`, and `screen` or `print`."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=medium, features=features)

    def run(self, script: str) -> Any:
        """The value of an expression, or of its promise."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"])[:2_000])
        return found["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Press and release a key, such as `Tab` (9) or `Enter` (13)."""
        text = {"Enter": {"text": "\r"}, " ": {"text": " "}}.get(key, {})
        for kind in ("keyDown", "keyUp"):
            more: Mapping[str, str] = text if kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def picture(self, part: str = "body") -> bytes:
        """A PNG of the first element that a selector finds, in the page's whole width."""
        box = f"document.querySelector('{part}').getBoundingClientRect()"
        top, height = self.run(f"[{box}.top, {box}.height]")
        width = self.call("Page.getLayoutMetrics")["cssContentSize"]["width"]
        clip = {"x": 0, "y": top, "width": width, "height": min(height, LONGEST), "scale": 1}
        found = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(found["data"])

    def paper(self) -> bytes:
        """A PDF as the page prints."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])

    def tree(self) -> list[tuple[str, str]]:
        """Roles and names of what a screen reader is told, in order."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        shown = [each for each in nodes if not each.get("ignored")]
        return [(str(each["role"]["value"]), str(each.get("name", {}).get("value", ""))) for each in shown]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            read = os.read(self._told, 1 << 20)
            if not read:
                raise RuntimeError(f"the browser went away: {self._process.poll()}")
            self._rest += read
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        if found.get("method") == "Network.requestWillBeSent":
            self.asked.append(str(found["params"]["request"]["url"]))
        return found


_START = "import os, sys; r, w, *c = sys.argv[1:]; os.dup2(int(r), 3); os.dup2(int(w), 4); os.execvp(c[0], c)"
"""The browser reads from file 3 and writes to file 4."""


def _high(number: int) -> int:
    """The same file under a number that is none of the browser's."""
    high = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(number)
    return high


@contextmanager
def driven(browser: str, scratch: Path) -> Iterator[Tab]:
    """A browser that ends with the block.

    Args:
        scratch: an empty folder for the browser's own files.
    """
    (from_us, to_browser), (to_us, from_browser) = map(_high, os.pipe()), map(_high, os.pipe())
    flags = [*FLAGS, "--remote-debugging-pipe", f"--user-data-dir={scratch}", "about:blank"]
    process = subprocess.Popen(
        [sys.executable, "-c", _START, str(from_us), str(from_browser), browser, *flags],
        pass_fds=(from_us, from_browser),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(from_us)
    os.close(from_browser)
    try:
        yield Tab(process, to_browser, to_us)
    finally:
        os.close(to_browser)
        process.terminate()
        process.wait(30)
        os.close(to_us)
