"""Headless browsers that open a page: what it then holds, and what the browser complained about."""

import json
import pathlib
import re
import socket
import subprocess
import tempfile
import time

PATIENCE = 120  # seconds in which a browser must have started, or have answered


def chromium(page, dark):
    """The page's HTML once its scripts have run, and the lines of its console."""
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                           "--dump-dom", *scheme, page.as_uri()],
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


PREFERENCES = """
user_pref("marionette.port", 0);
user_pref("devtools.console.stdout.content", true);
user_pref("browser.dom.window.dump.enabled", true);
user_pref("app.update.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
"""


class Marionette:
    """The wire by which Firefox is told what to do: JSON in netstrings."""

    def __init__(self, port):
        self.wire = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.sent = 0
        self.next_message()  # its greeting

    def next_message(self):
        size = b""
        while (byte := self.receive(1)) != b":":
            size += byte
        text = b""
        while len(text) < int(size):
            text += self.receive(int(size) - len(text))
        return json.loads(text)

    def receive(self, size):
        got = self.wire.recv(size)
        if not got:
            raise RuntimeError("firefox ended before it answered")
        return got

    def ask(self, command, **what):
        self.sent += 1
        text = json.dumps([0, self.sent, command, what]).encode()
        self.wire.sendall(str(len(text)).encode() + b":" + text)
        _, _, problem, answer = self.next_message()
        if problem:
            raise RuntimeError(f"{command}: {problem['message']}")
        return answer


def said_by_page(line):
    """Modules of Firefox itself put their name before what they say; the strings of a page are in quotes."""
    return (line.startswith("JavaScript error: file:") or
            line.startswith("console.") and not re.match(r"console\.\w+: [\w.]+:", line))


def port_of(profile, browser):
    """The port that Firefox chose: it writes it into its profile once it listens."""
    started, file = time.monotonic(), pathlib.Path(profile) / "MarionetteActivePort"
    while not (file.exists() and file.read_text(encoding="ascii").strip()):
        if browser.poll() is not None or time.monotonic() - started > PATIENCE:
            raise RuntimeError("firefox does not start")
        time.sleep(0.05)
    return int(file.read_text(encoding="ascii"))


def firefox(page, dark):
    """The same of Firefox."""
    with tempfile.TemporaryDirectory() as profile, tempfile.TemporaryFile(mode="w+") as console:
        scheme = f'user_pref("layout.css.prefers-color-scheme.content-override", {0 if dark else 1});\n'
        (pathlib.Path(profile) / "user.js").write_text(PREFERENCES + scheme, encoding="ascii")
        browser = subprocess.Popen(["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", profile],
                                   stdout=console, stderr=subprocess.STDOUT)
        try:
            told = Marionette(port_of(profile, browser))
            told.ask("WebDriver:NewSession")
            told.ask("WebDriver:Navigate", url=page.as_uri())
            text = told.ask("WebDriver:GetPageSource")["value"]
            told.ask("Marionette:Quit", flags=["eForceQuit"])
            browser.wait(PATIENCE)
        finally:
            browser.kill()
            browser.wait()
        console.seek(0)
        return text, [line.strip() for line in console if said_by_page(line)]
