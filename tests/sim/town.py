"""A small town for the kernel's tests: a real Talk page, the scripted model behind the real pool, plain agents."""

import asyncio
import sys
from pathlib import Path

from folkmoot.agents.llm.base import PoolConfig
from folkmoot.agents.llm.pool import Pool
from folkmoot.agents.llm.scripted import ScriptedConfig, ScriptedModel
from folkmoot.environments.corpora.base import Page
from folkmoot.environments.talk_page.page import TalkPage
from folkmoot.sim.activity import DAY, Activity, Delay, LogNormal
from folkmoot.sim.calls import Caller, NoModel
from folkmoot.sim.discussion import OpenThread, Reply
from folkmoot.sim.kernel import Kernel
from folkmoot.sim.log import EventLog
from folkmoot.sim.protocols import Abstain, Message, Sampling
from folkmoot.sim.turn import Limits, World

START = 1_700_000_000_000


class Chatter:
    """Awaits the model, then answers the newest thread, opens one, or abstains."""

    def __init__(self, name: str) -> None:
        self.id = name

    async def act(self, activation, view):
        """One or two calls, then an action."""
        based = {"agent": self.id, "based_on": view.version, "causes": activation.causes}
        if activation.uniform("abstain") < 0.1:
            return Abstain(reason="nothing to add", **based)
        recent = view.recent(5)
        said = view.comments(recent[0].id)[-1] if recent and activation.uniform("new") > 0.2 else None
        prompt = (Message("system", "Language: en"), Message("user", said.text if said else "Thread title: The mill"))
        answer = await activation.generate(prompt, Sampling(temperature=1.0))
        if activation.uniform("again") < 0.2:
            answer = await activation.generate((*prompt, Message("assistant", answer.text)), Sampling(temperature=1.0))
        text = answer.text or "(silence)"
        if said is None:
            return OpenThread(page="Talk:Mill", title="On the mill", text=text, **based)
        return Reply(page=said.page, thread=said.thread, parent=said.seq, text=text, **based)


ACTIVITY = Activity(
    rate_per_day=4,
    gaps=LogNormal(sigma=1.0),
    think=Delay(mean_s=3600),
    reaction=Delay(mean_s=1800),
    react={"reply": 0.3, "mention": 0.5, "watch": 0.1},
    exogenous_share=0.7,
)


class Town:
    """Runs the town once, into a folder."""

    def __init__(self, folder: Path, **options) -> None:
        self.folder, self.options = folder, options
        folder.mkdir(exist_ok=True)
        self.log, self.calls = folder / "events.jsonl", folder / "calls.jsonl"
        self.person = Chatter

    async def live(
        self, *, days=1.5, agents=8, seed=1, concurrency=8, mode="append", on_failure="stop", sinks=(), **llm
    ):
        """One run; returns its outcome. Keyword arguments of the scripted model may follow.

        `openings` are recorded events to start from; `forced` = (events, targets) is a teacher-forced run.
        """
        limits, openings, forced = llm.pop("limits", {}), llm.pop("openings", ()), llm.pop("forced", None)
        activity = ACTIVITY.model_copy(
            update={"think": Delay(mean_s=llm.pop("think_s", 3600)), **llm.pop("activity", {})}
        )
        pool = None
        if mode == "append":
            model = ScriptedModel(ScriptedConfig(language="en", **llm))
            pool = Pool(model, PoolConfig(concurrency=concurrency, retries=2, backoff_s=0.0), seed)
        people = {f"agent{i}": self.person(f"agent{i}") for i in range(agents)}
        page = TalkPage("en", "en", {"Talk:Mill": Page("Talk:Mill")}, agents=list(people))
        log = EventLog(self.log, mode)
        caller = Caller(
            pool or NoModel(), self.calls, seed, final_failures=on_failure == "abstain", read_only=mode == "verify"
        )
        kernel = Kernel(
            seed=seed,
            start=START,
            log=log,
            caller=caller,
            limits=Limits(end=int(START + days * DAY), **limits),
            sinks=sinks,
            spending=pool,
            on_failure=on_failure,
        )
        self.kernel, self.pool, self.caller, self.page = kernel, pool, caller, page
        try:
            if forced:
                return await kernel.reenact(World(page, people, activity), *forced)
            kernel.record(World(page, people, activity), openings)
            return await kernel.run([World(page, people, activity)])
        finally:
            log.close()
            caller.close()
            if pool:
                await pool.close()

    def run(self, **options):
        """As `live`, from synchronous code."""
        return asyncio.run(self.live(**{**self.options, **options}))


if __name__ == "__main__":
    # python town.py FOLDER SEED: what the kill tests start and kill once it says that it lives.
    sys.stdout.write("alive\n")
    sys.stdout.flush()
    Town(Path(sys.argv[1])).run(seed=int(sys.argv[2]), days=4, latency_s=0.02, latency_jitter=1.0)
