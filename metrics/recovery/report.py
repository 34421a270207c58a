"""What the recovery monitor found in a run: a JSON-able section, sentences, table rows. No tag and no text."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from folkmoot.metrics.recovery.made import SIDES, Side
from folkmoot.metrics.sections import interval, plain, with_section
from folkmoot.metrics.uncertainty import FEW_UNITS, Estimate

if TYPE_CHECKING:
    from folkmoot.metrics.recovery.live import RecoveryFeed

SHORT_DAYS = 60
"""Simulated days in which next to nothing can show that it lasts: a gold profile's lasting tags have two months."""

LEAST = 5
"""People whom the control needs for a verdict; with fewer, an interval over people says nothing."""

NAMED: dict[Side, str] = {
    "simulated": "simulated posts",
    "real": "real timelines",
    "same_size": "as many of the latest real posts",
}


def section(feed: "RecoveryFeed", losses: Mapping[str, int] | None = None) -> dict[str, Any]:
    """All numbers of a finished feed, JSON-able; a bound that isn't defined is None.

    Args:
        feed: the feed.
        losses: people and real posts that aren't asked about, by reason.
    """
    ledger, config = feed.ledger, feed.config
    margin = ledger.margin("simulated")
    return {
        "evaluator": feed.profiler.model.name,
        "own_model": config.evaluator is None,
        "matching": feed.profiler.matching,
        "people": len(ledger.people),
        "scored": len(ledger.scored()),
        "posts": sum(len(posts) for posts in ledger.posts.values()),
        "days": round(ledger.days(), 3),
        "settings": config.model_dump(mode="json", exclude={"evaluator"}),
        "sides": {side: _side(feed, side) for side in SIDES},
        "gap": plain(ledger.gap()),
        "verdict": verdict(margin.get("f1")),
        "losses": dict(feed.losses + Counter(losses or {})),
    }


def _side(feed: "RecoveryFeed", side: Side) -> dict[str, Any]:
    ledger = feed.ledger
    made, scored = ledger.made[side].values(), ledger.scored(side)
    return {
        "n": len(scored),
        "posts": sum(ledger.made[side][user].posts for user in scored),
        "numbers": plain(ledger.measured(side)),
        "swap": plain(ledger.swapped(side)),
        "margin": plain(ledger.margin(side)),
        "unread": dict(Counter(one.reason for one in made if one.reason and not one.failed)),
        "failed": sum(one.failed for one in made),
        "notes": dict(sum((Counter(one.notes) for one in made), Counter())),
    }


def verdict(margin: Estimate | None) -> str:
    """What the control says, in words.

    >>> verdict(Estimate(0.2, 0.1, 0.3, 12, 12, ""))
    "tell their authors' interests from other people's"
    """
    if margin is None:
        return "were not put to the control: there is nobody else whose interests differ"
    if margin.n_units < LEAST:
        return f"can't be judged by {margin.n_units} people: at least {LEAST} are needed"
    if margin.low > 0:
        return "tell their authors' interests from other people's"
    if margin.high < 0:
        return "fit other people's interests better than their authors'"
    return "don't tell their authors' interests from other people's"


def joined(summary: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """A community's summary with the section, its sentences and its warnings."""
    return with_section(summary, "recovery", found, sentences(found), warnings(found))


def sentences(found: Mapping[str, Any]) -> list[str]:
    """What the section says, in words."""
    mine = found["sides"]["simulated"]
    by = f"evaluator {found['evaluator']}" + (", the run's own model" if found["own_model"] else "")
    how = f"{found['settings']['setting']}; tags matched by {found['matching']}; {by}"
    if not found["scored"]:
        least = found["settings"]["min_posts"]
        return [f"recovery: 0 of {found['people']} people have a profile of {least} simulated posts or more ({how})"]
    who = (
        f"n = {found['scored']} of {found['people']} people, {mine['posts']} posts of the run; earlier ones don't count"
    )
    said = [f"recovery of interests from simulated posts: {_scores(mine['numbers'])} ({who}; {how})"]
    for side in SIDES[1:]:
        one = found["sides"][side]
        if one["n"]:
            about = f"n = {one['n']} people, {one['posts']} posts"
            said.append(f"recovery from {NAMED[side]} of the same people: {_scores(one['numbers'])} ({about})")
    if mine["swap"]:
        swap, margin = interval(mine["swap"]["f1"]), interval(mine["margin"]["f1"])
        said.append(
            f"control: the same profiles against other people's interests, tag F1 {swap}, own less others' {margin}: "
            f"simulated posts {found['verdict']}"
        )
    else:
        said.append(f"control: simulated posts {found['verdict']}")
    return said


def _scores(numbers: Mapping[str, Any]) -> str:
    f1, stable, recent, active = (interval(numbers[name]) for name in ("f1", "stable", "recent", "active"))
    return f"tag F1 {f1}, stable {stable}, recent {recent}, active domains {active}"


def warnings(found: Mapping[str, Any]) -> list[str]:
    """What could not be read, and what makes the numbers weak."""
    said = []
    for side in SIDES:
        one = found["sides"][side]
        said += [
            f"recovery, {NAMED[side]}: {count} users without a profile, counted as empty: {reason}"
            for reason, count in sorted(one["unread"].items())
        ]
        if one["failed"]:
            said.append(f"recovery, {NAMED[side]}: {one['failed']} users left out: the evaluator failed")
    least = found["settings"]["min_posts"]
    lost = found["people"] - found["scored"] - found["sides"]["simulated"]["failed"]
    if lost:
        said.append(f"recovery: {lost} people have fewer than {least} simulated posts")
    said += [f"recovery: {count} {reason}" for reason, count in sorted(found["losses"].items())]
    if found["scored"] and found["days"] < SHORT_DAYS:
        said.append(f"recovery: {found['days']:.1f} simulated days hardly show what lasts; the tag F1 doesn't ask")
    if 0 < found["scored"] < FEW_UNITS:
        said.append(f"recovery: {found['scored']} people scored: under {FEW_UNITS} the intervals are too narrow")
    return said


def rows(found: Mapping[str, Any]) -> list[tuple[str, str, str, str, str]]:
    """Rows of the run's table: simulated beside real."""
    mine, real = found["sides"]["simulated"], found["sides"]["real"]
    told = []
    for part, prefix in (("numbers", ""), ("swap", "swap_"), ("margin", "margin_")):
        for name, one in mine[part].items():
            if part == "numbers" or name == "f1":
                other = interval(real[part][name]) if name in real[part] else ""
                told.append((f"recovery {prefix}{name}", interval(one), other, "", ""))
    return told
