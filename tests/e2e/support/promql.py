"""What a PromQL expression names, and what a service's /metrics offers."""

import re
import urllib.request

_WORDS = {"and", "or", "unless", "bool", "offset"}
# Prometheus itself gives these: the metric of each scrape, and the labels of each target.
FROM_PROMETHEUS = {"up"}
TARGET_LABELS = {"job", "instance", "namespace", "pod"}
_SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")


def _bare(expr):
    return re.sub(r'"[^"]*"', '""', expr)


def metrics_in(expr):
    """The names of the metrics that an expression reads."""
    rest = re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", _GROUPING.sub("", _bare(expr)))
    names = re.findall(r"(?<![\w.])[a-zA-Z_:][\w:]*(?!\w)(?!\s*\()", rest)
    return {name for name in names if name not in _WORDS}


def labels_in(expr):
    """(metric, {label: text it is compared with}) of each selector of an expression, and
    ("", {label: ""}) of what it groups by."""
    for name, matchers in re.findall(r'([a-zA-Z_:][\w:]*)\{((?:[^}"]|"[^"]*")*)\}', expr):
        yield name, dict(re.findall(r'(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"', matchers))
    for group in _GROUPING.findall(_bare(expr)):
        yield "", dict.fromkeys(re.findall(r"\w+", group), "")


def offered(text):
    """Of a text of Prometheus' classic format: each name that a query may use, with the labels of
    its series and their values."""
    names = {}
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE):
        for suffix in _SUFFIXES.get(kind, ("",)):
            names[name + suffix] = {}
    for name, labels in re.findall(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$", text, re.MULTILINE):
        for label, value in re.findall(r'(\w+)="([^"]*)"', labels):
            names[name].setdefault(label, set()).add(value)
    return names


def scrape(service):
    url = f"http://127.0.0.1:{service.ops_port}/metrics"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as answer:
        return answer.read().decode("utf-8")
