"""auth.mode jwt: who signs what, with which key, for whom and until when."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from support.access import ask, bearer
from support.exports import series
from support.poll import poll_until
from support.ports import free_port

ISSUER, AUDIENCE = "https://id.example.org", "exportd"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
SHORT_RSA = rsa.generate_private_key(public_exponent=65537, key_size=1024)
OTHER_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()
GROUPS = '[[groups]]\nname = "finance"\nexports = ["numbers"]\n'


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(n, size=None):
    return b64(n.to_bytes(size or (n.bit_length() + 7) // 8, "big"))


def jwk(key, kid, **more):
    public = key.public_key()
    if isinstance(key, rsa.RSAPrivateKey):
        own = {"kty": "RSA", "n": number(public.public_numbers().n), "e": "AQAB"}
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        numbers = public.public_numbers()
        own = {"kty": "EC", "crv": "P-256", "x": number(numbers.x, 32), "y": number(numbers.y, 32)}
    else:
        own = {"kty": "OKP", "crv": "Ed25519",
               "x": b64(public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw))}
    return {**own, "kid": kid, **more}


KEYS = [jwk(RSA, "rsa", use="sig", alg="RS256"), jwk(EC, "ec"), jwk(ED, "ed"), jwk(SHORT_RSA, "short"),
        jwk(OTHER_RSA, "enc", use="enc")]


def claims(**changes):
    now = int(time.time())
    own = {"iss": ISSUER, "aud": AUDIENCE, "sub": "anna", "groups": ["staff", "finance"], "email": "anna@example.org",
           "iat": now, "exp": now + 300, **changes}
    return {name: now + value[1] if isinstance(value, tuple) else value
            for name, value in own.items() if value is not None}


def signed(key=RSA, algorithm="RS256", kid="rsa", headers=None, **changes):
    head = {**({"kid": kid} if kid else {}), **(headers or {})}
    return jwt.encode(claims(**changes), key, algorithm=algorithm, headers=head)


def settings(tmp_path, **more):
    access, keys = tmp_path / "access.toml", tmp_path / "keys.json"
    access.write_text(GROUPS, encoding="utf-8")
    if not keys.exists():
        keys.write_text(json.dumps({"keys": KEYS}), encoding="utf-8")
    own = {"EXPORTD_AUTH_MODE": "jwt", "EXPORTD_AUTH_FILE": str(access), "EXPORTD_JWT_ISSUER": ISSUER,
           "EXPORTD_JWT_AUDIENCE": AUDIENCE, "EXPORTD_JWT_JWKS_FILE": str(keys), **more}
    return {name: value for name, value in own.items() if value is not None}


@pytest.fixture(scope="module")
def guarded(database, tmp_path_factory):
    from support.service import Config, Service
    directory = tmp_path_factory.mktemp("jwt")
    own = Service(Config(directory / "own", {"numbers": series(10, "n")}), database.url, settings(directory))
    own.event("jwt_keys_read")
    own.addresses = (f"127.1.{i}.{j}" for i in range(1, 250) for j in range(1, 250))
    yield own
    own.stop()


def status(own, token):
    """Each from an address of its own, as failures are slowed."""
    return ask(own, "GET", "/exports", bearer(token), source=next(own.addresses)).status


@pytest.mark.parametrize("key, algorithm, kid", [(RSA, "RS256", "rsa"), (EC, "ES256", "ec"), (ED, "EdDSA", "ed"),
                                                 (EC, "ES256", None), (ED, "EdDSA", None)])
def test_a_right_token_is_who_it_says(guarded, key, algorithm, kid):
    token = signed(key, algorithm, kid)
    session = ask(guarded, "GET", "/session", bearer(token)).json()
    assert (session["name"], session["mail"], session["signed_in"]) == ("anna", "anna@example.org", True)
    assert [e["name"] for e in ask(guarded, "GET", "/exports", bearer(token)).json()["exports"]] == ["numbers"]
    answer = ask(guarded, "GET", "/exports/numbers.csv?from=2025-09-01&to=2025-10-01", bearer(token))
    assert answer.status == 200


def test_only_the_configured_algorithms_count(service, tmp_path):
    own = service(exports={"numbers": series(10, "n")}, **settings(tmp_path, EXPORTD_JWT_ALGORITHMS="ES256"))
    own.event("jwt_keys_read")
    assert ask(own, "GET", "/exports", bearer(signed(EC, "ES256", "ec"))).status == 200
    for number, (key, algorithm, kid) in enumerate([(RSA, "RS256", "rsa"), (ED, "EdDSA", "ed")]):
        assert ask(own, "GET", "/exports", bearer(signed(key, algorithm, kid)), source=f"127.2.0.{number + 1}").status == 401


@pytest.mark.parametrize("changes", [
    {"aud": ["other", AUDIENCE]}, {"groups": "finance"}, {"exp": ("now", 1000.5)}, {"iat": None},
    {"exp": ("now", -30)}, {"nbf": ("now", 30)}])
def test_what_the_rules_leave_room_for(guarded, changes):
    assert status(guarded, signed(**changes)) == 200


@pytest.mark.parametrize("changes", [
    {"iss": "https://id.example.org/"}, {"iss": None}, {"iss": [ISSUER]}, {"aud": "other"}, {"aud": None}, {"aud": []},
    {"aud": {"a": AUDIENCE}}, {"exp": ("now", -3600)}, {"exp": None}, {"nbf": ("now", 3600)},
    {"iat": ("now", 3600)}, {"sub": None}, {"sub": ""}, {"sub": 7}, {"sub": "a\nb"}, {"sub": "a" * 300}],
    ids=str)
def test_claims_that_are_not_right(guarded, changes):
    token = jwt.api_jws.encode(json.dumps(claims(**changes)).encode(), RSA, "RS256", headers={"kid": "rsa"})
    assert status(guarded, token) == 401


def test_times_that_are_no_numbers(guarded):
    for name, value in (("exp", str(int(time.time()) + 300)), ("exp", True), ("nbf", "0"), ("iat", {})):
        token = jwt.api_jws.encode(json.dumps(claims(**{name: value})).encode(), RSA, "RS256", headers={"kid": "rsa"})
        assert status(guarded, token) == 401, name


def forged(header, payload, signature=b""):
    return f"{b64(json.dumps(header).encode())}.{b64(json.dumps(payload).encode())}.{b64(signature)}"


def test_no_other_algorithm_and_no_confusion_of_keys(guarded):
    import hashlib
    import hmac
    public = RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    header = {"alg": "HS256", "kid": "rsa", "typ": "JWT"}
    text = f"{b64(json.dumps(header).encode())}.{b64(json.dumps(claims()).encode())}"
    by_public_key = text + "." + b64(hmac.new(public, text.encode(), hashlib.sha256).digest())
    tokens = {
        "HS256 by the public key": by_public_key,
        "none": forged({"alg": "none"}, claims()), "None": forged({"alg": "None", "kid": "rsa"}, claims()),
        "no alg": forged({"kid": "rsa"}, claims()), "alg of a number": forged({"alg": 5, "kid": "rsa"}, claims()),
        "HS256 by a secret": jwt.encode(claims(), "secret", algorithm="HS256", headers={"kid": "rsa"}),
        "RS512": signed(algorithm="RS512"), "PS256": signed(algorithm="PS256"),
        "another key of that name": signed(OTHER_RSA), "ES256 under the name of RSA": signed(EC, "ES256", "rsa"),
        "a short key": signed(SHORT_RSA, kid="short"), "a key for encryption": signed(OTHER_RSA, kid="enc"),
        "an unknown name": signed(kid="nobody"),
        "a key of its own": signed(OTHER_RSA, headers={"jwk": jwk(OTHER_RSA, "rsa")}),
        "an address of its own": signed(OTHER_RSA, headers={"jku": "http://127.0.0.1:9/keys"}),
        "a certificate of its own": signed(OTHER_RSA, headers={"x5u": "http://127.0.0.1:9/keys"}),
        "what has to be understood": signed(headers={"crit": ["exp"]}),
    }
    for what, token in tokens.items():
        assert status(guarded, token) == 401, what


def test_a_changed_or_cut_token_is_none(guarded):
    token = signed()
    header, payload, signature = token.split(".")
    other = b64(json.dumps(claims(sub="root")).encode())
    for wrong in (f"{header}.{other}.{signature}", f"{header}.{payload}.", f"{header}.{payload}", f"{header}.{payload}.{signature[:-4]}",
                  f"{header}..{signature}", token + "." + signature, "..", "a.b.c", f"{header}.{payload}.A{signature[1:]}" if signature[0] != "A" else "x",
                  forged({"alg": "RS256", "kid": "rsa"}, claims(pad="x" * 10_000))):
        assert status(guarded, wrong) == 401


def test_a_token_is_not_taken_as_a_password(guarded):
    pair = base64.b64encode(f"x:{signed()}".encode()).decode()
    answer = ask(guarded, "GET", "/exports", {"Authorization": f"Basic {pair}"}, source=next(guarded.addresses))
    assert answer.status == 401
    assert answer["WWW-Authenticate"] == 'Bearer realm="exportd"'


# Where the keys come from


class KeyServer:
    """Serves keys, or whatever else it is told to."""

    def __init__(self, keys):
        self.keys, self.asked, self.answer = keys, 0, None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked += 1
                if outer.answer is not None:
                    outer.answer(self)
                    return
                body = json.dumps({"keys": outer.keys}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        self.port = free_port()
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.port}/keys"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def key_server():
    own = KeyServer([jwk(RSA, "rsa")])
    yield own
    own.stop()


def by_url(service, tmp_path, key_server, **more):
    return service(exports={"numbers": series(10, "n")}, **settings(tmp_path, EXPORTD_JWT_JWKS_FILE=None, EXPORTD_JWT_JWKS_URL=key_server.url(), **more))


def test_keys_are_fetched_and_fetched_again(service, tmp_path, key_server):
    own = by_url(service, tmp_path, key_server, EXPORTD_JWT_JWKS_REFRESH="10s")
    own.event("jwt_keys_read", keys=1)
    assert ask(own, "GET", "/exports", bearer(signed())).status == 200
    key_server.keys = [jwk(RSA, "rsa"), jwk(EC, "ec")]
    own.event("jwt_keys_read", deadline=15, keys=2)
    assert ask(own, "GET", "/exports", bearer(signed(EC, "ES256", "ec"))).status == 200


def test_keys_that_cannot_be_fetched_leave_the_last_ones(service, tmp_path, key_server):
    own = by_url(service, tmp_path, key_server, EXPORTD_JWT_JWKS_REFRESH="10s")
    own.event("jwt_keys_read", keys=1)
    key_server.answer = lambda handler: handler.send_error(500)
    own.event("jwt_keys_failed", deadline=15, cause="the answer is 500")
    assert ask(own, "GET", "/exports", bearer(signed())).status == 200


def redirect(handler):
    handler.send_response(302)
    handler.send_header("Location", "http://127.0.0.1:9/elsewhere")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def huge(handler):
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(64):
            handler.wfile.write(b" " * 65536)
    except OSError:
        pass


def answer_with(text):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text.encode())
    return answer


PRIVATE = {**jwk(EC, "ec"), "d": number(EC.private_numbers().private_value, 32)}


@pytest.mark.parametrize("answer", [redirect, huge, answer_with("{}"), answer_with("not JSON"),
                                    answer_with(json.dumps({"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "rsa"}]})),
                                    answer_with(json.dumps({"keys": [PRIVATE]}))],
                         ids=["redirect", "huge", "empty", "no JSON", "symmetric", "private"])
def test_an_answer_that_holds_no_keys_lets_nobody_in(service, tmp_path, key_server, answer):
    key_server.answer = answer
    own = by_url(service, tmp_path, key_server)
    own.event("jwt_keys_failed")
    assert ask(own, "GET", "/exports", bearer(signed())).status == 401
    assert own.get("/healthz").status == 200


def test_a_slow_issuer_does_not_hold_up_the_loop(service, tmp_path, key_server):
    gate = threading.Event()
    key_server.answer = lambda handler: (gate.wait(20), answer_with(json.dumps({"keys": [jwk(RSA, "rsa")]}))(handler))
    own = by_url(service, tmp_path, key_server)
    poll_until(lambda: key_server.asked == 1, 5, "the fetch")
    worst = 0
    for _ in range(50):
        began = time.monotonic()
        assert own.get("/healthz").status == 200
        worst = max(worst, time.monotonic() - began)
    assert worst < 0.25
    gate.set()
    own.event("jwt_keys_read")
    assert ask(own, "GET", "/exports", bearer(signed())).status == 200


def test_a_file_of_keys_is_read_again_on_sighup(service, tmp_path):
    import signal
    own = service(exports={"numbers": series(10, "n")}, **settings(tmp_path))
    own.event("jwt_keys_read", keys=5)
    (tmp_path / "keys.json").write_text(json.dumps({"keys": [jwk(OTHER_RSA, "rsa")]}), encoding="utf-8")
    own.process.send_signal(signal.SIGHUP)
    own.event("jwt_keys_read", keys=1)
    assert ask(own, "GET", "/exports", bearer(signed())).status == 401
    assert ask(own, "GET", "/exports", bearer(signed(OTHER_RSA))).status == 200


def test_addresses_that_are_not_safe_are_refused(config, database, tmp_path):
    for url in ("http://id.example.org/keys", "file:///etc/passwd", "ftp://id.example.org/keys", "https://", "gopher://127.0.0.1:6379/x"):
        done = config.run("check", database.url, settings(tmp_path, EXPORTD_JWT_JWKS_FILE=None, EXPORTD_JWT_JWKS_URL=url))
        assert done.returncode == 1 and "jwt.jwks_url: expected https" in done.stderr, url
