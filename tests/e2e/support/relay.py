"""A TCP relay in front of PostgreSQL that can fall silent, refuse, or cut."""

import selectors
import socket
import struct
import threading


class Relay:
    """Listens on host:port and forwards to `target`; steered from the test's thread."""

    def __init__(self, target, host="127.0.0.1", port=0):
        self._target, self._host = target, host
        self._pairs, self._paused, self._stopping = [], False, False
        self._selector = selectors.DefaultSelector()
        self._wake_out, self._wake_in = socket.socketpair()
        self._selector.register(self._wake_in, selectors.EVENT_READ, "wake")
        self._lock = threading.Lock()
        self._listener = None
        self.port = port
        self.listen()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def listen(self):
        """Accepts connections (again)."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((self._host, self.port))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        with self._lock:
            self._listener = listener
            self._selector.register(listener, selectors.EVENT_READ, "accept")
        self._wake()

    def refuse(self):
        """New connections are refused from now on."""
        with self._lock:
            self._selector.unregister(self._listener)
            self._listener.close()
        self._wake()

    def pause(self):
        """Forwards nothing, closes nothing: a black hole."""
        self._paused = True
        self._wake()

    def resume(self):
        self._paused = False
        self._wake()

    def cut(self):
        """Resets every connection that is open now."""
        with self._lock:
            for pair in self._pairs:
                self._drop(pair)
            self._pairs.clear()
        self._wake()

    def connections(self):
        return len(self._pairs)

    def stop(self):
        self._stopping = True
        self._wake()
        self._thread.join(5)
        self.cut()
        self._listener.close()

    def _wake(self):
        self._wake_out.send(b"x")

    def _run(self):
        while not self._stopping:
            for key, _ in self._selector.select(0.5):
                if key.data == "wake":
                    self._wake_in.recv(4096)
                elif self._paused:
                    self._wait_while_paused()
                    break
                elif key.data == "accept":
                    self._accept()
                else:
                    self._forward(key.fileobj, *key.data)

    def _wait_while_paused(self):
        while self._paused and not self._stopping:
            self._wake_in.recv(4096)

    def _accept(self):
        try:
            client, _ = self._listener.accept()
        except OSError:
            return
        try:
            server = socket.create_connection(self._target, 5)
        except OSError:
            client.close()
            return
        with self._lock:
            pair = (client, server)
            self._pairs.append(pair)
            self._selector.register(client, selectors.EVENT_READ, (server, pair))
            self._selector.register(server, selectors.EVENT_READ, (client, pair))

    def _forward(self, source, sink, pair):
        try:
            data = source.recv(65536)
            if data:
                sink.sendall(data)
                return
        except OSError:
            pass
        with self._lock:
            if pair in self._pairs:
                self._pairs.remove(pair)
                self._drop(pair)

    def _drop(self, pair):
        for end in pair:
            try:
                self._selector.unregister(end)
            except (KeyError, ValueError):
                pass
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()


def black_hole(host, port):
    """A listener whose queue is full: a connection attempt gets no answer. Keep the sockets."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(0)
    fillers = []
    for _ in range(4):
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex((host, listener.getsockname()[1]))
        fillers.append(filler)
    return [listener, *fillers]
