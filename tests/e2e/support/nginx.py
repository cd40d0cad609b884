"""nginx in front of the service, with the defaults of its package."""

import os
import subprocess

from .poll import poll_until
from .ports import free_port
from .wire import Connection

_CONFIG = """
daemon off;
{user}
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log info;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            {settings}
            proxy_pass http://127.0.0.1:{upstream};
        }}
    }}
}}
"""


class Nginx:
    def __init__(self, directory, upstream, settings=""):
        self.port = free_port()
        directory.mkdir()
        config = directory / "nginx.conf"
        self.write_config(config, directory, upstream, settings)
        self._error_log = directory / "error.log"
        self._process = subprocess.Popen(["nginx", "-p", str(directory), "-c", str(config)],
                                         stderr=subprocess.PIPE)
        poll_until(self._listens, 10, "nginx")

    def write_config(self, config, directory, upstream, settings):
        config.write_text(_CONFIG.format(directory=directory, port=self.port, upstream=upstream,
                                         settings=settings,
                                         user="user root;" if os.geteuid() == 0 else ""))

    def url(self, target):
        return f"http://127.0.0.1:{self.port}{target}"

    def connect(self, **options):
        return Connection(self.port, **options)

    def get(self, target, **request):
        with self.connect() as connection:
            return connection.get(target, **request)

    def stop(self):
        self._process.terminate()
        self._process.wait(10)

    def _listens(self):
        assert self._process.poll() is None, self._process.stderr.read()
        try:
            self.connect().close()
            return True
        except OSError:
            return False
