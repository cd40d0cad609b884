"""What /metrics of a service says."""

import math

from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from .wire import Connection

# What Prometheus 2.42 asks for.
OPENMETRICS = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
               "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")


def scrape(service, accept=None, method="GET"):
    """The answer to a request for /metrics on the ops listener."""
    with Connection(service.ops_port) as connection:
        return connection.get("/metrics", method=method, fields={"Accept": accept} if accept else {})


class Metrics:
    """One reading. metrics["x_total", {"export": "a"}] is a value, 0 if the series does not exist."""

    def __init__(self, service):
        self.text = scrape(service).text
        self.families = {family.name: family for family in parse_text(self.text)}
        self.series = {}
        for family in self.families.values():
            for sample in family.samples:
                key = (sample.name, frozenset(sample.labels.items()))
                assert key not in self.series, f"{key} is there twice"
                self.series[key] = sample.value

    def __getitem__(self, key):
        name, labels = (key, {}) if isinstance(key, str) else key
        return self.series.get((name, frozenset(labels.items())), 0)

    def sum(self, name, **labels):
        """Of all series of that name with these labels."""
        wanted = set(labels.items())
        return math.fsum(value for (own, has), value in self.series.items() if own == name and wanted <= has)

    def labels(self, name):
        """Every value of every label of all series of that name."""
        return {value for own, has in self.series if own == name for _, value in has}
