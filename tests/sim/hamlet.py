"""A hamlet for tests of feeds: a few people with interests and recorded posts, the real feed, the scripted model."""

import asyncio
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path

import msgspec

from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scripted import ScriptedConfig, ScriptedModel
from folkmoot.environments.corpora.base import Corpus
from folkmoot.sim.activity import DAY, HOUR
from folkmoot.sim.calls import Caller, NoModel
from folkmoot.sim.commands.compose import compose
from folkmoot.sim.config import check
from folkmoot.sim.experiments.feed_places import prepare_feed
from folkmoot.sim.experiments.settings import RunConfig
from folkmoot.sim.feed import Followed, PostCreated, Reacted
from folkmoot.sim.kernel import Kernel
from folkmoot.sim.log import EventLog
from folkmoot.sim.persona import Interests, Persona
from folkmoot.sim.rng import uniform
from folkmoot.sim.turn import Limits

START = 1_700_000_000_000
TAGS = (
    ("sports_outdoor", "trail running"),
    ("food_drink", "sourdough baking"),
    ("gaming", "chess"),
    ("pets", "rescue dogs"),
)
QUICK = ["corpus=demo_feed", "llm=scripted", "annotator=scripted", "monitor=[text,threads,network]", "live=off"]


@cache
def corpus(people: int = 6, posts: int = 120, days: float = 20.0) -> Corpus:
    """Recorded posts of people who follow their neighbours, each about a tag of one's own."""
    names = [f"user{number}" for number in range(people)]
    events: list = []
    for number, name in enumerate(names):
        for step in (1, 2):
            user = names[(number + step) % people]
            events.append({"kind": Followed, "time": START - 1, "actor": name, "user": user})
    for number in range(posts):
        events.append(_post(number, names, len(events), events, START + int(number * days * DAY / posts)))
        if number % 3 == 0 and number > 2:
            liker = names[(number * 5 + 1) % people]
            events.append(
                {"kind": Reacted, "time": events[-1]["time"] + HOUR, "actor": liker, "post": events[-1]["seq"]}
            )
    events.sort(key=lambda row: row["time"])
    numbers = {row["seq"]: place for place, row in enumerate(events) if "seq" in row}
    made = tuple(_event(place, row, numbers) for place, row in enumerate(events))
    digest = blake2b(b"".join(msgspec.json.encode(event) for event in made), digest_size=8).hexdigest()
    personas = {name: _persona(number, name) for number, name in enumerate(names)}
    return Corpus("hamlet", "en", "UTC", {}, made, personas, digest, remembering=False)


def _post(number: int, names: list, seq: int, events: list, time: int) -> dict:
    author = names[int(uniform(7, "author", number) * len(names))]
    tag = TAGS[names.index(author) % len(TAGS)][1]
    row = {"kind": PostCreated, "time": time, "actor": author, "seq": seq, "form": "post", "language": "en"}
    earlier = [one for one in events[-8:] if one["kind"] is PostCreated and one["actor"] != author]
    share = uniform(7, "form", number)
    if share < 0.4 or not earlier:
        return row | {
            "thread": f"c{seq}",
            "text": f"Number {number} of my notes on {tag}.",
            "hashtags": (tag.replace(" ", ""),),
        }
    target = earlier[-1]
    if share < 0.8 and target["form"] != "repost":
        text = f"That is a fair point about it, answer {number}."
        return row | {"form": "reply", "thread": target["thread"], "parent": target["seq"], "text": text}
    of = target.get("of", target["seq"]) if target["form"] == "repost" else target["seq"]
    return row | {"form": "repost", "thread": f"c{seq}", "of": of, "text": ""}


def _event(place: int, row: dict, numbers: dict):
    row = dict(row)
    kind = row.pop("kind")
    row["seq"] = place
    for name in ("parent", "of", "post"):
        if name in row:
            row[name] = numbers[row[name]]
    return kind(community="hamlet", origin="recorded", **row)


def _persona(number: int, name: str) -> Persona:
    (domain, tag), (other, late) = TAGS[number % len(TAGS)], TAGS[(number + 1) % len(TAGS)]
    return Persona(id=name, language="en", interests=Interests(stable={domain: (tag,)}, recent={other: (late,)}))


@cache
def config(*overrides: str) -> RunConfig:
    """A quick run's config."""
    return check(RunConfig, compose([*QUICK, *overrides]))


class Hamlet:
    """Runs the hamlet once, into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.log, self.calls = folder / "events.jsonl", folder / "calls.jsonl"

    async def live(self, *, seed=1, days=1.0, concurrency=8, mode="append", overrides=(), limits=None, sinks=(), **llm):
        """One run; returns its outcome."""
        settings = config(f"seed={seed}", *overrides)
        model = ScriptedModel(ScriptedConfig(language="en", **llm))
        pool = Pool(model, PoolConfig(concurrency=concurrency, retries=2, backoff_s=0.0), seed)
        place = self.place = prepare_feed(settings, corpus(), pool, None)
        log = EventLog(self.log, mode)
        replays = mode == "verify"
        caller = Caller(NoModel() if replays else pool, self.calls, seed, read_only=replays)
        end = place.start + int(days * DAY)
        kernel = Kernel(
            seed=seed,
            start=place.start,
            log=log,
            caller=caller,
            limits=Limits(end=end, **(limits or {})),
            sinks=sinks,
            spending=None if replays else pool,
        )
        world = place.world
        try:
            kernel.record(world, place.split.first_events(place.corpus))
            return await kernel.run([world])
        finally:
            log.close()
            caller.close()
            await pool.close()

    def run(self, **options):
        """As `live`, from synchronous code."""
        return asyncio.run(self.live(**options))


if __name__ == "__main__":
    # python hamlet.py FOLDER SEED: what the kill test starts and kills once it says that it lives.
    sys.stdout.write("alive\n")
    sys.stdout.flush()
    Hamlet(Path(sys.argv[1])).run(seed=int(sys.argv[2]), days=2, latency_s=0.02, latency_jitter=1.0)
