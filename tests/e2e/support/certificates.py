"""Certificates for servers that tests start."""

import subprocess


class Authority:
    """A certificate of `localhost` (not of 127.0.0.1), and the one that vouches for it."""

    def __init__(self, directory):
        directory.mkdir(parents=True, exist_ok=True)
        self.ca_file = directory / "ca.pem"
        self.certificate = directory / "localhost.pem"
        self.key = directory / "localhost.key"
        ca_key, request, extensions = directory / "ca.key", directory / "request.pem", directory / "extensions"
        extensions.write_text("subjectAltName=DNS:localhost\n")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=exportd test authority", "-keyout", ca_key, "-out", self.ca_file)
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=localhost", "-keyout", self.key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.ca_file, "-CAkey", ca_key, "-CAcreateserial",
                "-days", "2", "-extfile", extensions, "-out", self.certificate)


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, stdout=subprocess.PIPE,
                   stderr=subprocess.STDOUT, timeout=30)
