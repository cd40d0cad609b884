"""Alert rules and dashboard: they are valid, they say what they should, and they read only what
the service offers."""

import json
import re
import subprocess
import tomllib

import pytest
import yaml

from support.database import order
from support.promql import (FROM_PROMETHEUS, TARGET_LABELS, labels_in, metrics_in, offered, scrape)
from support.service import SOURCE

RULES = SOURCE / "deploy/prometheus/exportd.rules.yml"
RULE_TESTS = SOURCE / "tests/e2e/deploy/exportd.rules.test.yml"
KUBERNETES_RULES = SOURCE / "deploy/kubernetes/prometheusrule.yaml"
DASHBOARD = SOURCE / "deploy/grafana/exportd.json"

# Not offered everywhere or at once: what a control group of this kind or without a limit does not
# have, and what counts only routes that were slow. Then the source has to hold the name.
SELDOM = re.compile(r"exportd_cgroup_\w+|exportd_loop_slow_turns_total")


def groups(path=RULES):
    return yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]


def alerts():
    return [rule for group in groups() for rule in group["rules"]]


def dashboard():
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))


def panels():
    return dashboard()["panels"]


def panel_expressions():
    return [(panel["title"], target["expr"]) for panel in panels() for target in panel.get("targets", [])]


def variable_expressions():
    queries = [each["definition"] for each in dashboard()["templating"]["list"] if each["type"] == "query"]
    return [("variable", re.fullmatch(r"label_values\((.*), \w+\)", query)[1]) for query in queries]


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Rules

def test_the_rules_are_valid():
    assert f"{len(alerts())} rules found" in promtool("check", "rules", RULES)


def test_the_rules_fire_when_they_should():
    promtool("test", "rules", RULE_TESTS)


def test_every_alert_is_tested_both_ways():
    fires, quiet = set(), set()
    for case in yaml.safe_load(RULE_TESTS.read_text(encoding="utf-8"))["tests"]:
        for check in case["promql_expr_test"]:
            name = re.search(r'alertname="(\w+)"', check["expr"])[1]
            (fires if check["exp_samples"] else quiet).add(name)
    assert fires == quiet == {alert["alert"] for alert in alerts()}


def test_every_alert_says_what_happens_and_what_to_do():
    for alert in alerts():
        assert alert["labels"]["severity"] in ("critical", "warning", "info"), alert["alert"]
        assert set(alert["annotations"]) == {"summary", "description", "action", "runbook_url"}, alert["alert"]


def test_alerts_name_keys_and_events_that_exist():
    keys = {f"{section}.{key}" for section, own in tomllib.loads(
        (SOURCE / "config/exportd.toml").read_text(encoding="utf-8")).items() for key in own}
    sections = "|".join({key.partition(".")[0] for key in keys} | {"workers"})
    source = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "src").rglob("*.cpp"))
    for alert in alerts():
        text = " ".join(alert["annotations"].values())
        assert set(re.findall(rf"\b(?:{sections})\.[a-z_]+", text)) <= keys, alert["alert"]
        for event in re.findall(r"\w+", " ".join(re.findall(r"\(event ([\w, ]+)\)", text))):
            assert f'"{event}"' in source, f"{alert['alert']}: {event}"


def headings(text):
    return {re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
            for line in text.splitlines() if line.startswith("#")}


def test_every_runbook_is_there():
    known = headings((SOURCE / "README.md").read_text(encoding="utf-8"))
    for alert in alerts():
        file, _, anchor = alert["annotations"]["runbook_url"].partition("#")
        assert (file, anchor in known) == ("README.md", True), f"{alert['alert']}: {anchor}"


def test_kubernetes_has_the_same_rules():
    copy = yaml.safe_load(KUBERNETES_RULES.read_text(encoding="utf-8"))
    assert copy["spec"] == {"groups": groups()}


# Dashboard

def test_panels_have_ids_of_their_own():
    ids = [panel["id"] for panel in panels()]
    assert len(ids) == len(set(ids))


def test_panels_do_not_overlap():
    taken = {}
    for panel in panels():
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24, panel["title"]
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert (x, y) not in taken, f"{panel['title']} covers {taken[x, y]}"
                taken[x, y] = panel["title"]


def test_panels_have_a_unit_a_meaning_and_the_chosen_source():
    source = {"type": "prometheus", "uid": "${datasource}"}
    for panel in panels():
        if panel["type"] == "row":
            continue
        unit = panel["fieldConfig"]["defaults"].get("unit") or panel["options"].get("yAxis", {}).get("unit")
        assert unit or panel["type"] == "table", panel["title"]
        assert panel["description"] and panel["targets"], panel["title"]
        for each in (panel, *panel["targets"]):
            assert each["datasource"] == source, panel["title"]


def test_panels_keep_to_the_chosen_job_and_instances():
    for title, expr in panel_expressions():
        for name, labels in labels_in(expr):
            assert not name or {"job", "instance"} <= set(labels), f"{title}: {expr}"
        assert {name for name, _ in labels_in(expr) if name} == metrics_in(expr), f"{title}: {expr}"


def test_the_queries_of_panels_are_valid(tmp_path):
    variables = {"$__rate_interval": "1m", "$job": "exportd", "$instance": ".*"}
    rules = []
    for number, (_, expr) in enumerate(panel_expressions()):
        for variable, value in variables.items():
            expr = expr.replace(variable, value)
        assert "$" not in expr, expr
        rules.append({"record": f"panel:{number}", "expr": expr})
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    promtool("check", "rules", file)


# What they read

@pytest.fixture(scope="module")
def source_text():
    return "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "src/observe").glob("*.cpp"))


@pytest.fixture
def metrics(service, database):
    """What a service offers that has served, refused and fallen back."""
    database.replace_orders([order(currency="GB£"), order()])
    running = service()
    assert running.get("/exports/orders.csv?from=2025-09-01&to=2025-10-01").status == 200
    assert running.get("/exports/orders.csv?from=2025-10-01&to=2025-09-01").status == 400
    return offered(scrape(running))


def faults(expressions, metrics, source_text):
    for title, expr in expressions:
        for name in metrics_in(expr) - FROM_PROMETHEUS - set(metrics):
            if not (SELDOM.fullmatch(name) and f'"{name}"' in source_text):
                yield f"{title}: no metric {name}"
        for name, labels in labels_in(expr):
            read = [name] if name else metrics_in(expr)
            yield from (f"{title}: {each}" for each in label_faults(name, labels, [metrics.get(n) for n in read]))


def label_faults(name, labels, series):
    """`series` are the labels and values of what is read; None for what is not offered here."""
    if None in series:
        return
    for label, text in labels.items():
        if label in TARGET_LABELS:
            continue
        values = set().union(*(each.get(label, set()) for each in series))
        if not values:
            yield f"{name or 'nothing'} has no label {label}"
        elif text and not set(text.split("|")) <= values:
            yield f"{name} has no {label} {text}"


def test_rules_and_panels_read_only_what_there_is(metrics, source_text):
    rules = [(alert["alert"], alert["expr"]) for alert in alerts()]
    autoscaler = yaml.safe_load((SOURCE / "deploy/kubernetes/hpa.yaml").read_text(encoding="utf-8"))
    scaling = [("hpa", each["pods"]["metric"]["name"]) for each in autoscaler["spec"]["metrics"]]
    read = rules + panel_expressions() + variable_expressions() + scaling
    assert list(faults(read, metrics, source_text)) == []


@pytest.mark.parametrize("expr, fault", [
    ("rate(exportd_lop_turns_total[5m])", "x: no metric exportd_lop_turns_total"),
    ("histogram_quantile(0.9, sum by (le) (rate(exportd_loop_delay_seconds[5m])))",
     "x: no metric exportd_loop_delay_seconds"),
    ('exportd_exports_total{result="failed"} > 0', "x: exportd_exports_total has no label result"),
    ('exportd_exports_total{outcome=~"failed|broken"}', "x: exportd_exports_total has no outcome failed|broken"),
    ("sum by (root) (exportd_exports_total)", "x: nothing has no label root"),
    ("exportd_cgroup_cpu_shares", "x: no metric exportd_cgroup_cpu_shares"),
])
def test_a_wrong_name_is_seen(expr, fault):
    text = ("# TYPE exportd_loop_delay_seconds histogram\nexportd_loop_delay_seconds_bucket{le=\"1\"} 1\n"
            "# TYPE exportd_exports_total counter\nexportd_exports_total{export=\"a\",outcome=\"failed\"} 1\n")
    assert fault in list(faults([("x", expr)], offered(text), ""))
