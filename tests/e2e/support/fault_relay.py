"""A relay in front of PostgreSQL that knows its messages and does harm at a chosen one.

The protocol's framing is that of the PostgreSQL manual, "Message Formats": a type byte (but for the
first messages of a client) and a length that counts itself.
"""

import ctypes
import socket
import struct
import threading
import time

CLIENT, SERVER = "client", "server"  # whose messages are counted

CUT = "cut"              # closes both ends before the message
RESET = "reset"          # the same with RST
HALF = "half"            # closes after the first half of the message
BLACK_HOLE = "hole"      # passes nothing on from there, in either direction, and closes nothing
TRICKLE = "trickle"      # passes the message on in single bytes
DELAY = "delay"          # passes the message on late
GARBLE = "garble"        # a length that can't be

SSL_REQUEST, GSS_REQUEST = 80877103, 80877104
_LIBC = ctypes.CDLL(None, use_errno=True)


class Framer:
    """Cuts a stream into messages; the first ones of a client have no type byte, and the answer to
    some of these is a single byte. `asked` is one list for both directions of a connection."""

    def __init__(self, whose, asked):
        self._buffer, self._asked = bytearray(), asked
        self._client, self._untyped = whose == CLIENT, whose == CLIENT

    def messages(self, data):
        self._buffer += data
        while message := self._next():
            if self._untyped:
                self._untyped = int.from_bytes(message[4:8], "big") in (SSL_REQUEST, GSS_REQUEST)
                if self._untyped:
                    self._asked.append(message)
            yield message

    def _next(self):
        if not self._client and self._asked and self._buffer:
            self._asked.pop()
            return self._take(1)
        start = 0 if self._untyped else 1
        if len(self._buffer) < start + 4:
            return b""
        end = start + int.from_bytes(self._buffer[start:start + 4], "big")
        return self._take(end) if len(self._buffer) >= end else b""

    def _take(self, size):
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken


class FaultRelay:
    """Listens on 127.0.0.1:port; arm() makes the next connections fail, disarm() ends that."""

    def __init__(self, target):
        self._target = target
        self._fault, self._lock = None, threading.Lock()
        self._open, self._silent, self._stopping = set(), set(), False
        self.seen = {CLIENT: 0, SERVER: 0}
        self.struck = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, fault, whose, step, delay=0.2):
        """From now on the messages of `whose` are counted over all connections, from 1; at `step` the
        fault happens, once."""
        with self._lock:
            self.seen = {CLIENT: 0, SERVER: 0}
            self._fault, self._whose, self._step, self._delay = fault, whose, step, delay

    def disarm(self):
        with self._lock:
            self._fault = None

    def connections(self):
        return len(self._open)

    def cut_all(self):
        for ends in list(self._open):
            self._close(ends)

    def stop(self):
        self._stopping = True
        self._listener.close()
        self.cut_all()

    def _accept(self):
        while not self._stopping:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._target, 5)
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            ends = (client, server)
            self._open.add(ends)
            asked = []
            for whose, source, sink in ((CLIENT, client, server), (SERVER, server, client)):
                threading.Thread(target=self._pass, args=(whose, source, sink, ends, asked), daemon=True).start()

    def _pass(self, whose, source, sink, ends, asked):
        framer = Framer(whose, asked)
        try:
            while data := source.recv(65536):
                passed = bytearray()
                for message in framer.messages(data):
                    if ends in self._silent:
                        return
                    fault = self._count(whose)
                    if fault is None:
                        passed += message
                        continue
                    sink.sendall(passed)
                    passed.clear()
                    if not self._harm(fault, message, sink, ends):
                        return
                sink.sendall(passed)
        except OSError:
            pass
        if ends not in self._silent:
            self._close(ends)

    def _count(self, whose):
        """The fault that is due at this message, if one is."""
        with self._lock:
            if self._fault is None:
                return None
            self.seen[whose] += 1
            if whose != self._whose or self.seen[whose] != self._step:
                return None
            fault, self._fault = self._fault, None
            self.struck += 1
            return fault

    def _harm(self, fault, message, sink, ends):
        """Whether the connection goes on."""
        if fault == DELAY:
            time.sleep(self._delay)
            sink.sendall(message)
            return True
        if fault == TRICKLE:
            size = max(1, len(message) // 50)
            for at in range(0, len(message), size):
                sink.sendall(message[at:at + size])
                time.sleep(0.0005)
            return True
        if fault == GARBLE:
            sink.sendall(message[:1] + struct.pack("!i", 2) + message[5:])
            return True
        if fault == BLACK_HOLE:
            self._silent.add(ends)
            return False
        if fault == HALF:
            sink.sendall(message[:max(1, len(message) // 2)])
        self._close(ends, abruptly=fault == RESET)
        return False

    def _close(self, ends, abruptly=False):
        """Another thread may wait in recv() of either end, which close() alone would not end."""
        with self._lock:
            if ends not in self._open:
                return
            self._open.discard(ends)
        for end in ends:
            try:
                if abruptly:
                    # connect(2): AF_UNSPEC dissolves the association, for TCP with RST.
                    _LIBC.connect(end.fileno(), struct.pack("H14x", socket.AF_UNSPEC), 16)
                else:
                    end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
