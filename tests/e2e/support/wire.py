"""HTTP/1.x over a raw socket: what went over the wire, and how it ended."""

import json
import socket
import struct
import time

WHOLE, CUT, RESET = "whole", "cut", "reset"

# Called with each answer that was read to its end.
on_answer = []


class WireError(AssertionError):
    """The bytes are not HTTP."""


class Response:
    """One answer. `ended` is WHOLE, CUT (a plain close before the end) or RESET."""

    def __init__(self, version, status, reason, fields):
        self.version, self.status, self.reason, self.fields = version, status, reason, fields
        self.body, self.trailers, self.ended = b"", [], None
        self.chunked = False

    def get(self, name, default=None):
        values = [v for n, v in self.fields if n.lower() == name.lower()]
        assert len(values) < 2, f"{name} is repeated: {values}"
        return values[0] if values else default

    def __getitem__(self, name):
        value = self.get(name)
        assert value is not None, f"no {name} in {self.fields}"
        return value

    def trailer(self, name):
        values = [v for n, v in self.trailers if n.lower() == name.lower()]
        assert len(values) == 1, f"{name} in the trailers {self.trailers}"
        return values[0]

    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode("utf-8")

    def __repr__(self):
        return f"<{self.status} {self.ended} {len(self.body)} bytes {self.fields} {self.body[:200]!r}>"


class Connection:
    """A client's connection. `rcvbuf` bounds what the kernel takes for a client that doesn't read;
    `source` is the client's own address."""

    def __init__(self, port, host="127.0.0.1", rcvbuf=None, timeout=20.0, source=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if rcvbuf is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        self.socket.settimeout(timeout)
        if source is not None:
            self.socket.bind((source, 0))
        self.socket.connect((host, port))
        self._buffer, self._at = bytearray(), 0
        self._end = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the connection with FIN (or with RST, if bytes are unread: the kernel's rule)."""
        self.socket.close()

    def reset(self):
        """Ends the connection with RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def send(self, data):
        """Sends; a peer that has stopped reading is no error here, its answer tells."""
        try:
            self.socket.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))
        except (BrokenPipeError, ConnectionResetError):
            pass

    def request(self, target, method="GET", fields=(), version="1.1", host="exports.test"):
        lines = [f"{method} {target} HTTP/{version}"]
        if host is not None:
            lines.append(f"Host: {host}")
        lines += [f"{name}: {value}" for name, value in dict(fields).items()]
        self.send("\r\n".join(lines) + "\r\n\r\n")

    # Bytes that have arrived and were not parsed yet.
    @property
    def pending(self):
        return len(self._buffer) - self._at

    def fill(self, size=262144):
        """Reads once. False when the peer has ended the connection, either way."""
        if self._end is not None:
            return False
        try:
            data = self.socket.recv(size)
        except ConnectionResetError:
            self._end = RESET
            return False
        if not data:
            self._end = CUT
            return False
        self._buffer += data
        return True

    def take(self, total):
        """Reads until at least `total` bytes wait to be parsed, or the connection has ended."""
        while self.pending < total and self.fill():
            pass
        return self.pending

    def drip(self, bytes_per_second, seconds, every=0.1):
        """Reads at that rate for so long. False when the connection ended meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.fill(max(1, int(bytes_per_second * every))):
                return False
            time.sleep(every)
        return True

    def ending(self, deadline=10.0):
        """How the connection ends: CUT or RESET, or "open" if it does not within the deadline."""
        self.socket.settimeout(deadline)
        try:
            while self.fill():
                pass
        except socket.timeout:
            return "open"
        return self._end

    def head(self):
        """Status line and header fields of the next answer."""
        line = self._line()
        version, _, rest = line.partition(" ")
        status, _, reason = rest.partition(" ")
        if not version.startswith("HTTP/1.") or len(status) != 3:
            raise WireError(f"not a status line: {line!r}")
        return Response(version, int(status), reason, self._fields())

    def response(self, method="GET"):
        """The next answer, read to its end, however it ends."""
        return self.body_of(self.head(), method)

    def body_of(self, answer, method="GET"):
        """The rest of an answer whose head has been read."""
        self._read_body(answer, method)
        for observer in on_answer:
            observer(answer)
        return answer

    def _read_body(self, answer, method):
        if method == "HEAD" or answer.status in (204, 304):
            answer.ended = WHOLE
            return answer
        length, coding = answer.get("Content-Length"), answer.get("Transfer-Encoding")
        if length is not None and coding is not None:
            raise WireError("both Content-Length and Transfer-Encoding")
        if coding is not None:
            if coding != "chunked":
                raise WireError(f"Transfer-Encoding: {coding}")
            answer.chunked = True
            return self._chunks(answer)
        if length is not None:
            return self._exactly(answer, int(length))
        while self.fill():
            pass
        answer.body = self._rest()
        answer.ended = RESET if self._end == RESET else WHOLE
        return answer

    def get(self, target, **request):
        self.request(target, **request)
        return self.response(request.get("method", "GET"))

    def _exactly(self, answer, length):
        whole = self.take(length) >= length
        answer.body = self._rest() if not whole else self._cut(length)
        answer.ended = WHOLE if whole else self._end
        return answer

    def _chunks(self, answer):
        parts = []
        try:
            while True:
                size_line = self._line()
                if not size_line or any(c not in "0123456789abcdefABCDEF" for c in size_line):
                    raise WireError(f"not a chunk size: {size_line!r}")
                size = int(size_line, 16)
                if size == 0:
                    answer.trailers = self._fields()
                    answer.ended = WHOLE
                    break
                if self.take(size + 2) < size + 2:
                    parts.append(self._rest())
                    raise _Ended()
                parts.append(self._cut(size))
                if self._cut(2) != b"\r\n":
                    raise WireError("a chunk does not end with CRLF")
        except _Ended:
            answer.ended = self._end
        answer.body = b"".join(parts)
        return answer

    def _fields(self):
        fields = []
        while True:
            line = self._line()
            if not line:
                return fields
            name, colon, value = line.partition(":")
            if not colon or not name or name != name.strip():
                raise WireError(f"not a header field: {line!r}")
            fields.append((name, value.strip()))

    def _line(self):
        while True:
            end = self._buffer.find(b"\r\n", self._at)
            if end >= 0:
                line = self._buffer[self._at:end].decode("latin-1")
                self._at = end + 2
                return line
            if not self.fill():
                raise _Ended(f"the connection ended ({self._end}) before a line was whole: "
                             f"{bytes(self._buffer[self._at:self._at + 200])!r}")

    def _cut(self, size):
        piece = bytes(self._buffer[self._at:self._at + size])
        self._at += size
        if self._at > 1 << 20:
            del self._buffer[:self._at]
            self._at = 0
        return piece

    def _rest(self):
        return self._cut(self.pending)


class _Ended(WireError):
    pass
