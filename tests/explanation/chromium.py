"""A Chromium to look at pages with, spoken to through a pipe in its DevTools protocol."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from select import select

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60  # seconds for an answer
COMPLAINTS = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
REQUEST = "Network.requestWillBeSent"
#: makes an event of each kind: the page's policy refuses the image
PROVOKE = "console.log('on-purpose'); new Image().src = 'http://127.0.0.1:9/on-purpose'; "
PROVOKE += "setTimeout(() => { throw Error('on-purpose') })"
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
)
# the protocol's pipe is file descriptors 3 (to the browser) and 4 (from it)
START = "import os, sys; r, w, *command = sys.argv[1:]; os.dup2(int(r), 3); os.dup2(int(w), 4); "
START += "os.execv(command[0], command)"


def found():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser with one tab; `events` are all that it told of itself."""

    def __init__(self, profile):
        (read, self._to), (self._from, write) = os.pipe(), os.pipe()
        pipe = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (read, write)]
        start = [sys.executable, "-c", START, *map(str, pipe), found(), *FLAGS]
        self._process = subprocess.Popen(
            [*start, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            pass_fds=pipe,
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )
        for end in (read, write, *pipe):
            os.close(end)
        self._buffer, self._number, self._session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Call a method of the protocol and wait for its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, path):
        """Open a file and wait until it is loaded and drawn."""
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not self.told("Page.loadEventFired"):
            self.events.append(self._next())
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def run(self, script):
        """The value of an expression, or of its promise, in the page."""
        settings = {"returnByValue": True, "awaitPromise": True}
        answer = self.call("Runtime.evaluate", expression=script, **settings)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def click(self, selector):
        """Click in the middle of an element, with the mouse."""
        box = f"document.querySelector({selector!r})"
        self.run(f"{box}.scrollIntoView({{block: 'center'}})")
        x, y = self.run(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])"
            f"({box}.getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, code, text=""):
        """Press a key."""
        known = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **known)
        self.call("Input.dispatchKeyEvent", type="keyUp", **known)

    def told(self, *methods):
        """The parameters of the events of these kinds."""
        return [one["params"] for one in self.events if one.get("method") in methods]

    def observed(self):
        """The page's complaints and the addresses it asked for, since it was opened.

        When those that are made here on purpose have been told, so have the ones before them.
        """
        self.run(PROVOKE)
        while not all("on-purpose" in str(self.told(kind)) for kind in (*COMPLAINTS, REQUEST)):
            self.events.append(self._next())
        self.events = [one for one in self.events if "on-purpose" not in str(one)]
        return self.told(*COMPLAINTS), [one["request"]["url"] for one in self.told(REQUEST)]

    def close(self):
        """End the browser and its children."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def _next(self):
        while b"\0" not in self._buffer:
            assert select([self._from], [], [], PATIENCE)[0], "Chromium does not answer"
            more = os.read(self._from, 1 << 16)
            assert more, "Chromium has ended"
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)
