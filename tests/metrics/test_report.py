"""Summary, tables, comparison and figure."""

import asyncio
import io
import json
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scipy.spatial.distance import jensenshannon

from folkmoot.metrics.compare import RunData, compare, comparison_table
from folkmoot.metrics.feed import MonitorFeed
from folkmoot.metrics.monitors import MonitorConfig, build_monitors
from folkmoot.metrics.plots import draw, figure, save
from folkmoot.metrics.report import plain_table, rich_table, summarize, table_rows, title
from folkmoot.metrics.shown import shown
from folkmoot.metrics.target import build_target
from folkmoot.metrics.text import SPLITTER
from folkmoot.sim.errors import MetricError

HOSTILE = "$\\frac{1}{0}$ <b>&amp;</b> [red]x[/red] \x00\u202e \u4f60 $x_"


@pytest.fixture
def target(talk):
    """A real side of 400 comments."""
    real = talk(400, 40, seed=1, origin="recorded")
    return build_target(real.events, real.columns, real.roles, community="demo-en")


@pytest.fixture
def summary(talk, target):
    """Its comparison with 120 simulated comments."""
    simulated = talk(120, 15, seed=2)
    facts = {"condition": "history", "model": "scripted"}
    return summarize(simulated.events, simulated.columns, target, facts=facts, draws=60)


def test_summary_is_json_with_everything_beside_its_numbers(talk, target, summary):
    """Strict JSON; each number has interval and n; headline values are SciPy's; the splitter is named."""
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert (summary["splitter"], summary["comments"], summary["real"]["comments"]) == (SPLITTER, 120, 400)
    for family in summary["families"].values():
        for number in family["numbers"].values():
            assert number["low"] <= number["value"] <= number["high"]
            assert (number["n_items"], number["few"]) == (120, False)
    acts = summary["families"]["acts"]
    shares = [[acts[side][f"share.{label}"]["value"] for label in acts["labels"]] for side in ("real", "numbers")]
    assert acts["numbers"]["js_distance"]["value"] == pytest.approx(jensenshannon(*shares, base=2))
    assert all(0 < p <= 1 for family in summary["families"].values() for p in family["p"].values())


def test_summaries_repeat(talk, target, summary):
    """The same log gives the same summary."""
    simulated = talk(120, 15, seed=2)
    facts = {"condition": "history", "model": "scripted"}
    assert summarize(simulated.events, simulated.columns, target, facts=facts, draws=60) == summary


def test_the_sentence(summary):
    """One plain sentence: value, interval, noise floor, n."""
    number, floor = (summary["families"]["acts"][key]["js_distance"] for key in ("numbers", "floors"))
    assert summary["sentences"][0] == (
        f"dialog acts: JS distance to the real community {number['value']:.2f} [{number['low']:.2f}, "
        f"{number['high']:.2f}]; two halves of the real one differ by {floor['mean']:.2f} [{floor['low']:.2f}, "
        f"{floor['high']:.2f}] (n = 120 comments in 15 threads)"
    )


def test_two_samples_of_one_population_lie_at_the_floor(talk, target):
    """Simulated and real drawn alike: the distance is near the floor, and p doesn't reject."""
    simulated = talk(120, 15, seed=11)
    found = summarize(simulated.events, simulated.columns, target, draws=100)["families"]["acts"]
    assert found["numbers"]["js_distance"]["value"] <= found["floors"]["js_distance"]["high"] * 1.2
    assert found["p"]["js_distance"] > 0.05


def test_small_n_and_parse_failures_are_told(talk, target):
    """Few threads, comments without labels and an empty simulation each give a warning."""
    simulated = talk(20, 4, seed=2)
    columns = {**simulated.columns, 3: {"acts": None, "sentiment": ("neutral",)}}
    found = summarize(simulated.events, columns, target, draws=20)
    assert found["families"]["acts"]["numbers"]["js_distance"]["few"]
    assert any("4 simulated threads" in text for text in found["warnings"])
    assert "1 of 20 comments have no acts label" in found["warnings"]
    empty = summarize([], {}, target, draws=20)
    assert "acts: no simulated comment to measure" in empty["warnings"]
    assert empty["sentences"] == []
    assert plain_table(empty)


def test_tables_show_names_as_they_are(summary):
    """Plain and rich tables hold every row; markup in names isn't obeyed."""
    hostile = {**summary, "community": HOSTILE}
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(rich_table(hostile))
    text = console.export_text()
    assert "[red]x[/red]" in text
    assert all(row[0] in plain_table(summary) and row[0] in text for row in table_rows(summary))


def test_figures_are_the_same_bytes(talk, target, summary, tmp_path, gold):
    """PNG and SVG repeat byte by byte, and the time panel takes the feed's records."""
    simulated, records = talk(120, 15, seed=2), []
    monitors = build_monitors({"acts": MonitorConfig(every_comments=20, draws=20)}, target)

    async def run():
        async with MonitorFeed(monitors, gold(simulated), on_publish=records.append) as feed:
            feed.committed(simulated.events)

    asyncio.run(run())
    (tmp_path / "again").mkdir()
    first, second = (draw(folder, summary, records) for folder in (tmp_path, tmp_path / "again"))
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert first[0].read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert b"<dc:date>" not in first[1].read_bytes()


def test_hostile_names_are_drawn_not_obeyed(summary, tmp_path):
    """Mathtext, markup, control characters and missing glyphs in names neither break nor shape the figure."""
    hostile = {**summary, "community": HOSTILE, "facts": {"model": "$\\sqrt{"}}
    save(figure(hostile), tmp_path / "f.svg")
    ET.fromstring((tmp_path / "f.svg").read_text())
    assert "$\\frac" in title(hostile)
    with pytest.raises(MetricError, match=".png or .svg"):
        save(figure(summary), tmp_path / "f.gif")


@given(st.text(max_size=300))
def test_shown_text_is_short_and_printable(text):
    """At most the limit, on one line, no control or format characters."""
    assert len(shown(text, 40)) <= 40
    assert shown(text).isprintable()


def test_an_unmeasured_run_still_has_a_figure(target, tmp_path):
    """No comments: the panels say so."""
    paths = draw(tmp_path, summarize([], {}, target, draws=5))
    assert all(path.stat().st_size > 1000 for path in paths)


def test_comparison_samples_seeds_beside_threads(talk, target):
    """Rows by group, the mean of the runs, warnings for few seeds; all repeatable. One run alone has its summary's."""
    runs = [
        RunData("history", f"seed-{i}", (some := talk(100, 15, seed=20 + i)).events, some.columns, target)
        for i in range(3)
    ] + [RunData("base", "seed-0", (one := talk(100, 15, seed=30)).events, one.columns, target)]
    rows = compare(runs, draws=100)
    assert [(row.group, len(row.runs), row.comments) for row in rows] == [("history", 3, 300), ("base", 1, 100)]
    each = [summarize(run.events, run.columns, target, draws=5) for run in runs[:3]]
    values = [one["families"]["acts"]["numbers"]["js_distance"]["value"] for one in each]
    assert rows[0].numbers["acts.js_distance"].value == pytest.approx(sum(values) / 3)
    assert rows[0].numbers["acts.js_distance"].n_units == 3
    assert rows[0].warnings == ("3 seeds: the interval is too narrow",)
    alone = summarize(one.events, one.columns, target, draws=100)["families"]
    for name, estimate in rows[1].numbers.items():
        family, number = name.split(".")
        said = alone[family]["numbers"][number]
        assert (said["value"], said["low"], said["high"]) == (estimate.value, estimate.low, estimate.high)
    assert rows[1].warnings == ("1 seed: the interval covers threads only",)
    assert comparison_table(rows) == comparison_table(compare(runs, draws=100))
    with pytest.raises(MetricError, match="a run counts once"):
        compare([runs[0], runs[0]])
    with pytest.raises(MetricError, match="0 runs"):
        compare([])
