"""A strict reader of RFC 4180, written for these tests and independent of the csv module.

It accepts no bare quote, no quote after a closing quote, no stray CR and no record without its
line end. A bare empty field is None, a quoted empty one is "", as PostgreSQL's COPY has it.
"""


class NotCsv(ValueError):
    """The bytes are not what RFC 4180 allows; the message names the offset."""


_QUOTE, _COMMA, _CR, _LF = 0x22, 0x2C, 0x0D, 0x0A


def read(body: bytes, line_end: bytes = b"\n"):
    """All records of `body` as lists of str or None; every record has to end with `line_end`."""
    records, record, at = [], [], 0
    while at < len(body):
        field, at = _field(body, at)
        record.append(field)
        if at == len(body):
            raise NotCsv(f"offset {at}: the last record has no line end")
        if body[at] == _COMMA:
            at += 1
            if at == len(body):
                raise NotCsv(f"offset {at}: the last record has no line end")
            continue
        if not body.startswith(line_end, at):
            raise NotCsv(f"offset {at}: expected {line_end!r}, found {body[at:at + 2]!r}")
        at += len(line_end)
        records.append(record)
        record = []
    return records


def read_rectangle(body: bytes, line_end: bytes = b"\n"):
    """Like read(), and every record has as many fields as the header."""
    records = read(body, line_end)
    if not records:
        raise NotCsv("there is no header record")
    for number, record in enumerate(records):
        if len(record) != len(records[0]):
            raise NotCsv(f"record {number} has {len(record)} fields, the header {len(records[0])}")
    return records


def _field(body, at):
    if body[at] == _QUOTE:
        return _quoted(body, at + 1)
    end = at
    while end < len(body) and body[end] not in (_COMMA, _CR, _LF):
        if body[end] == _QUOTE:
            raise NotCsv(f"offset {end}: a quote inside a field that is not quoted")
        end += 1
    return (body[at:end].decode("utf-8") if end > at else None), end


def _quoted(body, at):
    start = at
    while True:
        at = body.find(b'"', at)
        if at < 0:
            raise NotCsv(f"offset {start}: the quoted field never ends")
        if body[at + 1:at + 2] == b'"':
            at += 2
            continue
        after = at + 1
        if after < len(body) and body[after] not in (_COMMA, _CR, _LF):
            raise NotCsv(f"offset {after}: text behind the closing quote")
        return body[start:at].decode("utf-8").replace('""', '"'), after
