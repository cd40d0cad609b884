"""Background exports, as their clients and operators see them."""

import json
import signal

from .poll import poll_until
from .wire import Connection

SEPTEMBER = {"from": "2025-09-01", "to": "2025-10-01"}
ENDED = ("complete", "failed", "cancelled", "expired")

# Short enough that another process takes over within a test.
HASTY = {
    "EXPORTD_JOBS_LEASE": "2s",
    "EXPORTD_JOBS_POLL": "100ms",
}


class Jobs:
    """The job table of one database, and the files of its jobs."""

    def __init__(self, config, database, directory):
        self.database, self.directory = database, directory
        self.settings = {**HASTY, "EXPORTD_JOBS_DIRECTORY": str(directory),
                         "EXPORTD_JOBS_KEEP_FREE": "0B"}
        database.execute("DROP SCHEMA IF EXISTS exportd CASCADE")
        self.migrated = config.run("migrate", database.url, self.settings)
        assert self.migrated.returncode == 0, self.migrated.stderr

    def files(self):
        """Names of what is in the directory, unfinished files too."""
        return sorted(entry.name for entry in self.directory.iterdir()) if self.directory.exists() else []

    def row(self, job_id):
        names = ("state", "attempt", "fence", "lease_owner", "file", "mail_state", "notify", "row_count")
        values = self.database.rows(f"SELECT {', '.join(names)} FROM exportd.jobs WHERE id = %s", (job_id,))
        return dict(zip(names, values[0])) if values else None


def post(service, target, body, source=None, **fields):
    """The answer to a POST of JSON; from another address of loopback if `source` is given."""
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    data = text.encode() if isinstance(text, str) else text
    with Connection(service.port, timeout=30, source=source) as connection:
        head = {"Content-Type": "application/json", "Content-Length": str(len(data)),
                **{name.replace("_", "-"): value for name, value in fields.items()}}
        connection.request(target, method="POST", fields=head)
        connection.send(data)
        return connection.response("POST")


def start_job(service, export="orders", source=None, **body):
    """Asks for a job and returns its id."""
    answer = post(service, f"/exports/{export}/jobs", {**SEPTEMBER, **body}, source)
    assert answer.status == 202, answer
    return answer.json()["id"]


def job(service, job_id):
    answer = service.get(f"/jobs/{job_id}")
    assert answer.status == 200, answer
    return answer.json()


def job_once(service, job_id, *states, deadline=20):
    """The job once it is in one of the states; all that end it, unless some are given."""
    def settled():
        found = job(service, job_id)
        return found if found["state"] in (states or ENDED) else None
    return poll_until(settled, deadline, f"job {job_id} {states or ENDED}")


def pause_process(service):
    service.process.send_signal(signal.SIGSTOP)


def continue_process(service):
    service.process.send_signal(signal.SIGCONT)


