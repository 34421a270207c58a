"""Models as judges: are two tags the same interest, how good is a personal answer (SocialPersona, A.3 and A.6)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from folkmoot.agents.interests.prompts import interest_prompt
from folkmoot.agents.interests.respond import REQUESTS, Intent, show_profile
from folkmoot.agents.profiles.asking import read_object
from folkmoot.metrics.profile.counting import tags
from folkmoot.metrics.profile.matching import JudgedLikeness, normalize
from folkmoot.metrics.profile.prompts import judge_prompt
from folkmoot.sim.asking import TOO_LONG, Asker, Reply, UnusableAnswer
from folkmoot.sim.persona import DOMAINS, Domain, Frozen, Interests
from folkmoot.sim.protocols import Answer, Message
from folkmoot.sim.quoting import line, quote

DIMENSIONS = ("coverage", "concreteness", "fluency")
"""What a judge gives points for, 0 to 5 each; their mean is Avg."""


class Verdict(Frozen):
    """A judge's points, 0 to 5 each."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    coverage: float = Field(ge=0, le=5)
    concreteness: float = Field(ge=0, le=5)
    fluency: float = Field(ge=0, le=5)

    @property
    def points(self) -> tuple[float, float, float]:
        """In the order of `DIMENSIONS`."""
        return self.coverage, self.concreteness, self.fluency


@dataclass(frozen=True, slots=True)
class MatchJudge:
    """Asks a model which tags of a domain are the same interest."""

    asker: Asker

    async def likeness(self, user: str, predicted: Interests, gold: Interests) -> tuple[JudgedLikeness, Counter[str]]:
        """What the judge says of one user's tags, and which domains it couldn't judge, by reason."""
        same: dict[tuple[str, str], bool] = {}
        lost: Counter[str] = Counter()
        for domain in DOMAINS:
            mine, real = _open(predicted, gold, domain)
            if not mine or not real:
                continue
            reply = await self._ask(user, domain, mine, real)
            if reply.value is None:
                lost[f"domains not judged: {reply.reason}"] += 1
            else:
                same |= {(normalize(mine[a]), normalize(real[b])): True for a, b in reply.value}
        return JudgedLikeness(same), lost

    async def _ask(
        self, user: str, domain: Domain, mine: Sequence[str], real: Sequence[str]
    ) -> Reply[list[tuple[int, int]]]:
        text = judge_prompt("same").render(domain=domain, predicted=_listed(mine), gold=_listed(real))
        messages = [Message("system", judge_prompt("system").render()), Message("user", text)]
        if not self.asker.fits(messages):
            return Reply(None, TOO_LONG)
        return await self.asker.ask(
            messages, lambda answer: read_same(read_object(answer), len(mine), len(real)), (f"same {domain}", user)
        )


def _open(predicted: Interests, gold: Interests, domain: Domain) -> tuple[list[str], list[str]]:
    """Tags of both sides without those that are equal to one of the other side: these need no judge in any scope."""
    mine, real = tags(predicted, domain), tags(gold, domain)
    whole = all(
        {normalize(tag) for tag in tags(predicted, domain, (bucket,))}
        == {normalize(tag) for tag in tags(gold, domain, (bucket,))}
        for bucket in ("stable", "recent")
    )
    return ([], []) if whole else (mine, real)


def _listed(words: Sequence[str]) -> str:
    return quote("\n".join(map(line, words)))


def read_same(answer: Mapping[str, Any], rows: int, columns: int) -> list[tuple[int, int]]:
    """Pairs of places, counted from 0.

    Raises:
        UnusableAnswer: there is no list of pairs, or a pair's number doesn't exist.
    """
    pairs = answer.get("same")
    if not isinstance(pairs, list):
        raise UnusableAnswer("same is missing", 'the key "same" must hold a list of pairs')
    found = []
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(n, int) for n in pair)):  # noqa: PLR2004
            raise UnusableAnswer("a pair isn't two numbers", "each pair must be [number in A, number in B]")
        if not (1 <= pair[0] <= rows and 1 <= pair[1] <= columns):
            raise UnusableAnswer("a number that doesn't exist", f"{pair}: A has {rows} interests, B {columns}")
        found.append((pair[0] - 1, pair[1] - 1))
    return found


@dataclass(frozen=True, slots=True)
class DialogueJudge:
    """Gives points to answers, from the gold profile."""

    asker: Asker

    async def score(self, user: str, gold: Interests, intent: Intent, number: int, response: str) -> Reply[Verdict]:
        """Points of one answer, or the reason why there are none.

        Raises:
            ModelError: a call failed for good, unless the asker skips failures.
        """
        text = judge_prompt("dialogue").render(
            gold=show_profile(gold),
            intent=interest_prompt(intent).render(),
            request=quote(REQUESTS[intent][number]),
            response=quote(response),
        )
        messages = [Message("system", judge_prompt("system").render()), Message("user", text)]
        if not self.asker.fits(messages):
            return Reply(None, TOO_LONG)
        return await self.asker.ask(messages, read_verdict, (f"judge {intent}", user))


def read_verdict(answer: Answer) -> Verdict:
    """The points of an answer.

    Raises:
        UnusableAnswer: one is missing, or out of 0 to 5.
    """
    try:
        return Verdict.model_validate(read_object(answer))
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "object"
        raise UnusableAnswer(f"{name} isn't a number from 0 to 5", f"{name}: {first['msg']}") from error
