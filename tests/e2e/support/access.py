"""Callers with tokens, and browsers that signed in with one."""

import base64
import hashlib
import json
import re
import subprocess
import urllib.parse

from .poll import poll_until
from .service import binary
from .wire import Connection

ANNA, BEN, OLD = "xpd_anna-secret", "xpd_ben-secret", "xpd_old-secret"


def token_entry(name, token, exports, **more):
    lines = ["[[tokens]]", f'name = "{name}"', f'sha256 = "{hashlib.sha256(token.encode()).hexdigest()}"',
             f"exports = {json.dumps(exports)}"]
    lines += [f"{key} = {value}" for key, value in more.items()]
    return "\n".join(lines) + "\n"


# anna may do everything, ben has the showcase alone, and old's token has expired.
ACCESS_FILE = (token_entry("anna", ANNA, ["*"], raw="true")
               + token_entry("ben", BEN, ["showcase"], max_range='"31d"')
               + token_entry("old", OLD, ["*"], expires="2020-01-01T00:00:00Z"))


def tokens(directory, text=ACCESS_FILE, **more):
    """Settings of a service whose callers have these tokens."""
    file = directory / "access.toml"
    file.write_text(text, encoding="utf-8")
    return {"EXPORTD_AUTH_MODE": "tokens", "EXPORTD_AUTH_FILE": str(file), **more}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def basic(token, user="x"):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{token}".encode()).decode()}


def ask(service, method, target, fields=None, body=None, source=None):
    """The answer to one request; a body that is no text is sent as JSON."""
    head = dict(fields or {})
    data = b""
    if body is not None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        head.setdefault("Content-Type", "application/json")
        head["Content-Length"] = str(len(data))
    with Connection(service.port, timeout=60, source=source) as connection:
        connection.request(target, method=method, fields=head)
        connection.send(data)
        return connection.response(method)


class Browser:
    """What a browser does with cookies and says about where a request comes from."""

    def __init__(self, service, source=None):
        self.service, self.source, self.cookies = service, source, {}

    def ask(self, method, target, fields=None, body=None, mode="cors", site="same-origin"):
        head = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, **(fields or {})}
        if self.cookies:
            head["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = ask(self.service, method, target, head, body, self.source)
        for name, value in answer.fields:
            if name.lower() == "set-cookie":
                self._keep(value)
        return answer

    def open(self, target, site="none"):
        return self.ask("GET", target, mode="navigate", site=site)

    def submit(self, target, fields, site="same-origin"):
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", target, form, urllib.parse.urlencode(fields), mode="navigate", site=site)

    def sign_in(self, token, next="/"):
        return self.submit("/sign-in", {"token": token, "next": next})

    def session(self):
        return self.ask("GET", "/session").json()

    def csrf(self):
        return {"X-CSRF-Token": self.session()["csrf"]}

    def _keep(self, field):
        pair, *attributes = field.split("; ")
        name, value = re.fullmatch(r"([^=]+)=(.*)", pair).groups()
        if "Max-Age=0" in attributes:
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value


COLUMNS = ("phase", "attempt", "action", "who", "client", "request_id", "export", "subject", "range_from",
           "range_to", "options", "outcome", "code", "row_count", "byte_count", "duration_ms")


def audit_rows(database, condition="true"):
    found = database.rows(f"SELECT {', '.join(COLUMNS)} FROM exportd.audit WHERE {condition} ORDER BY id")
    return [dict(zip(COLUMNS, row)) for row in found]


def audit_once(database, condition, count=1, deadline=5):
    def there():
        found = audit_rows(database, condition)
        return found if len(found) >= count else None
    found = poll_until(there, deadline, f"audit {condition}")
    assert len(found) == count, found
    return found


def make_token(*arguments):
    return subprocess.run([binary(), "token", *arguments], capture_output=True, text=True, timeout=10)
