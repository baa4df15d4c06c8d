"""A browser that knows HTML and no script: it reads a page's forms, and sends them as a browser would."""

from __future__ import annotations

from html.parser import HTMLParser
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

OUR_SCRIPTS = ["/_sandbox/static/sandbox.js", "/_sandbox/static/console.js"]
"""The scripts of the console. Pages of payers have none."""


class Page(HTMLParser):
    """What a page holds: its words, its links, its forms, and every tag with its attributes."""

    def __init__(self, status: int, headers: dict[str, str], html: str) -> None:
        super().__init__()
        self.status, self.headers, self.html = status, headers, html
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.forms: list[dict[str, object]] = []
        self.links: dict[str, str] = {}
        self.words = ""
        self._href: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        if tag == "form":
            self.forms.append({"action": given.get("action"), "fields": {}, "buttons": []})
        elif tag in ("input", "select") and self.forms:
            fields = self.forms[-1]["fields"]
            assert isinstance(fields, dict)
            fields[given.get("name") or ""] = given.get("value") or ""
        elif tag == "button" and self.forms:
            buttons = self.forms[-1]["buttons"]
            assert isinstance(buttons, list)
            buttons.append((given.get("name"), given.get("value")))
        elif tag == "a":
            self._href = given.get("href") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._href = None

    def handle_data(self, data: str) -> None:
        self.words += data
        if self._href is not None:
            self.links[data.strip()] = self._href

    @property
    def scripts(self) -> list[str | None]:
        """Where the scripts of the page come from; None for one that stands in it."""
        return [attrs.get("src") for tag, attrs in self.tags if tag == "script"]

    def form(self, path: str) -> dict[str, str]:
        """The fields of the first form that is sent to an address that ends so."""
        for form in self.forms:
            if str(form["action"]).endswith(path):
                fields = form["fields"]
                assert isinstance(fields, dict)
                return dict(fields)
        raise AssertionError(f"no form for {path} among {[form['action'] for form in self.forms]}")


class Reader:
    """Asks one sandbox for pages."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.host = urlsplit(base_url).netloc

    def get(self, address: str, **headers: str) -> Page:
        return self.send("GET", address, None, headers)

    def send(self, method: str, address: str, body: bytes | None, headers: dict[str, str]) -> Page:
        connection = HTTPConnection(self.host, timeout=600)
        try:
            connection.request(method, address.removeprefix(self.base_url), body, headers)
            answer = connection.getresponse()
            raw = answer.read()
        finally:
            connection.close()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Page(answer.status, found, raw.decode("utf-8"))

    def post(self, address: str, fields: dict[str, str], *, follow: bool = True, **headers: str) -> Page:
        """Sends a form, and follows where it leads."""
        given = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.base_url, **headers}
        page = self.send("POST", address, urlencode(fields).encode(), given)
        if follow and page.status == 303:
            return self.get(page.headers["location"])
        return page

    def press(self, address: str, button: str, **fields: str) -> Page:
        """Loads a cashier page and presses one of its buttons."""
        page = self.get(address)
        path = urlsplit(address).path
        return self.post(path, {"token": page.form(path)["token"], "press": button, **fields})
