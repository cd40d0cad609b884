"""What every error answer has in common."""


def check_problem(answer, status, code, parameter=None):
    """Asserts an RFC 9457 document with that status and code; gives the document."""
    assert answer.status == status, answer
    assert answer["Content-Type"].split(";")[0].strip() == "application/problem+json"
    assert answer.json()["code"] == code, answer
    check_private(answer)
    document = answer.json()
    assert document["status"] == status
    assert document["title"] and document["type"]
    assert document["detail"].strip()
    assert document["request_id"] == answer["X-Request-Id"]
    if parameter is not None:
        assert document["parameter"] == parameter, document
    return document


def check_private(answer):
    """Nobody may keep the answer or guess at its type."""
    directives = {part.strip() for part in answer["Cache-Control"].split(",")}
    assert directives == {"private", "no-store"}, answer
    assert answer["X-Content-Type-Options"] == "nosniff"
