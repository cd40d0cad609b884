"""SMTP servers on loopback: a scripted one that says what a test wants, one that speaks just a
greeting, and postfix."""

import asyncio
import email
import email.policy
import os
import pwd
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import pathlib

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from .poll import poll_until
from .ports import free_port

SILENCE = "silence"


class SmtpServer:
    """aiosmtpd with scripted replies.

    replies["MAIL"], ["RCPT"] and ["DATA"] are what the server answers, "250 OK" unless set; SILENCE
    is no answer. They may be changed while it runs. letters are what it took, oldest first, as
    email.message.EmailMessage with the envelope in `sender` and `recipients`.
    """

    def __init__(self, authority=None, login=None, port=None):
        self.port = port or free_port()
        self.url = f"smtp://localhost:{self.port}"
        self.replies = {}
        self.letters = []
        self._login = login
        options = {}
        if authority is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(authority.certificate, authority.key)
            options = {"tls_context": context, "require_starttls": True}
        if login is not None:
            options |= {"authenticator": self._authenticate, "auth_required": True,
                        "auth_require_tls": authority is not None}
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)
        self._controller.start()

    def stop(self):
        self._controller.stop()

    def settings(self, **more):
        """Configuration of the service, as Service takes it."""
        return {"EXPORTD_MAIL_URL": self.url, "EXPORTD_MAIL_FROM": "Order exports <exports@example.com>",
                "EXPORTD_MAIL_DOMAINS": "example.com", "EXPORTD_MAIL_TIMEOUT": "5s", **more}

    async def handle_MAIL(self, server, session, envelope, address, options):
        reply = await self._reply("MAIL")
        if reply.startswith("250"):
            envelope.mail_from = address
        return reply

    async def handle_RCPT(self, server, session, envelope, address, options):
        reply = await self._reply("RCPT")
        if reply.startswith("250"):
            envelope.rcpt_tos.append(address)
        return reply

    async def handle_DATA(self, server, session, envelope):
        reply = await self._reply("DATA")
        if reply.startswith("250"):
            letter = email.message_from_bytes(envelope.content, policy=email.policy.default)
            letter.sender, letter.recipients = envelope.mail_from, list(envelope.rcpt_tos)
            letter.raw = envelope.content
            letter.over_tls = session.ssl is not None
            self.letters.append(letter)
        return reply

    async def _reply(self, command):
        reply = self.replies.get(command, "250 OK")
        if reply == SILENCE:
            await asyncio.sleep(3600)
        return reply

    def _authenticate(self, server, session, envelope, mechanism, data):
        given = (data.login.decode(), data.password.decode()) if isinstance(data, LoginPassword) else None
        # Not handled: aiosmtpd itself answers 235 or 535.
        return AuthResult(success=given == self._login, handled=False)


class Greeting:
    """Greets each client with one line (nothing if it is empty), then says no more."""

    def __init__(self, line=""):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"smtp://localhost:{self._listener.getsockname()[1]}"
        self._clients = []
        self._thread = threading.Thread(target=self._serve, args=(line,), daemon=True)
        self._thread.start()

    def _serve(self, line):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._clients.append(client)
            if line:
                client.sendall(line.encode() + b"\r\n")

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        for each in (self._listener, *self._clients):
            each.close()


_MAIN = """
compatibility_level = 3.6
queue_directory = {directory}/queue
data_directory = {directory}/data
maillog_file = {directory}/log
maillog_file_prefixes = {directory}
mail_owner = postfix
setgid_group = postdrop
myhostname = localhost
mydomain = example.com
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
alias_maps =
virtual_mailbox_domains = example.com
virtual_mailbox_base = {directory}/mail
virtual_mailbox_maps = static:inbox/
virtual_minimum_uid = 1
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access inline:{{ nobody@example.com=REJECT, later@example.com=DEFER }}
smtpd_tls_security_level = {tls}
{certificate}
"""

_MASTER = """
127.0.0.1:{port} inet n - n - - smtpd
pickup    unix  n - n 60 1 pickup
cleanup   unix  n - n - 0 cleanup
qmgr      unix  n - n 300 1 qmgr
tlsmgr    unix  - - n 1000? 1 tlsmgr
rewrite   unix  - - n - - trivial-rewrite
bounce    unix  - - n - 0 bounce
defer     unix  - - n - 0 bounce
trace     unix  - - n - 0 bounce
verify    unix  - - n - 1 verify
flush     unix  n - n 1000? 0 flush
proxymap  unix  - - n - - proxymap
smtp      unix  - - n - - smtp
showq     unix  n - n - - showq
error     unix  - - n - - error
retry     unix  - - n - - error
discard   unix  - - n - - discard
virtual   unix  - n n - - virtual
anvil     unix  - - n - 1 anvil
scache    unix  - - n - 1 scache
postlog   unix-dgram n - n - 1 postlogd
"""


class Postfix:
    """postfix with a configuration and a queue of its own, which delivers all mail to example.com
    into one directory. It refuses nobody@example.com for good and later@example.com for now, and
    relays nothing. Needs root: it changes to other users."""

    def __init__(self, authority=None):
        self.port = free_port()
        self.url = f"smtp://localhost:{self.port}"
        self._directory = pathlib.Path(tempfile.mkdtemp(prefix="exportd-postfix-"))
        user = pwd.getpwnam("postfix")
        config = self._directory / "etc"
        self._directory.chmod(0o755)
        for name in ("etc", "queue", "data", "mail"):
            (self._directory / name).mkdir()
        for name in ("data", "mail"):
            os.chown(self._directory / name, user.pw_uid, user.pw_gid)
        certificate = ""
        if authority is not None:
            for source in (authority.certificate, authority.key):
                shutil.copy(source, config)
            certificate = (f"smtpd_tls_cert_file = {config / authority.certificate.name}\n"
                           f"smtpd_tls_key_file = {config / authority.key.name}")
        (config / "main.cf").write_text(_MAIN.format(
            directory=self._directory, uid=user.pw_uid, gid=user.pw_gid,
            tls="encrypt" if authority else "none", certificate=certificate))
        (config / "master.cf").write_text(_MASTER.format(port=self.port))
        self._config = str(config)
        try:
            self._run("start")
            poll_until(self._greets, 20, "postfix")
        except BaseException:
            self.stop()
            raise

    def letters(self):
        """What was delivered, as email.message.EmailMessage."""
        inbox = self._directory / "mail" / "inbox" / "new"
        files = sorted(inbox.iterdir()) if inbox.is_dir() else []
        return [email.message_from_bytes(each.read_bytes(), policy=email.policy.default) for each in files]

    def stop(self):
        subprocess.run(["postfix", "-c", self._config, "stop"], timeout=30, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self._directory, ignore_errors=True)

    def _run(self, command):
        done = subprocess.run(["postfix", "-c", self._config, command], timeout=30, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        log = self._directory / "log"
        assert done.returncode == 0, done.stdout + (log.read_text() if log.exists() else "")

    def _greets(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as client:
                return client.recv(100).startswith(b"220 ")
        except OSError:
            return False
