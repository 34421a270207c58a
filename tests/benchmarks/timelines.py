"""An outbox of so many MB, written and read: `python timelines.py MEGABYTES` prints one JSON object."""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from folkmoot.environments.corpora.timelines.limits import Limits
from folkmoot.environments.corpora.timelines.mastodon import Mastodon

PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
ACTOR = "https://moot.example/users/ada"
FIRST = 1_500_000_000
"""Seconds; a post every ten minutes from here on."""


def activity(number):
    """A public post of the size that real ones have, about 2 KB."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(FIRST + 600 * number))
    content = f"<p>Post number {number} about tea and cake, " + "with a few more words, " * 20 + "</p>"
    name = f"{ACTOR}/statuses/{number}"
    note = {"id": name, "type": "Note", "published": when, "to": [PUBLIC], "cc": [], "content": content}
    note |= {"contentMap": {"en": content}, "attachment": [], "tag": [], "summary": None, "inReplyTo": None}
    return {"type": "Create", "actor": ACTOR, "published": when, "to": [PUBLIC], "cc": [], "object": note}


def write(path, megabytes):
    """Write an outbox; returns how many posts it holds."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write('{"type": "OrderedCollection", "orderedItems": [')
        while file.tell() < megabytes * 1_000_000:
            file.write((", " if count else "") + json.dumps(activity(count)))
            count += 1
        file.write("]}")
    return count


def peak_mb():
    """Largest memory of this process so far."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def read(path):
    """Read an outbox; returns the timeline."""
    [timeline] = Mastodon(path, Limits(until=4_000_000_000_000)).timelines()
    return timeline


def main():
    """Read a small outbox, so that every module is there, and then the large one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outbox.json"
        write(path, 1)
        read(path)
        before = peak_mb()
        count = write(path, float(sys.argv[1]))
        began = time.process_time()
        timeline = read(path)
        cpu = time.process_time() - began
        size = path.stat().st_size / 1e6
    found = {"mb": round(size), "posts": count, "read": timeline.losses["posts read"], "kept": len(timeline.posts)}
    print(json.dumps({**found, "cpu_s": round(cpu, 1), "rss_before_mb": before, "rss_peak_mb": peak_mb()}))  # noqa: T201


if __name__ == "__main__":
    main()
