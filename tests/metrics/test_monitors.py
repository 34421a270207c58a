"""Monitors publish what a recount of the log gives, with the real side from the target."""

import numpy as np
import pytest
import yaml
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from folkmoot.metrics.alarms import Alarm
from folkmoot.metrics.families import acts, network, sentiment, text, threads
from folkmoot.metrics.measure import Reference, family_of, floor_size
from folkmoot.metrics.monitors import FamilyMonitor, MonitorConfig, build_monitors
from folkmoot.metrics.names import DIVERGENCES, numbers
from folkmoot.metrics.tallies import FAMILIES, Counting, make_tally
from folkmoot.metrics.target import build_target
from folkmoot.metrics.text import count_sentences, count_words
from folkmoot.metrics.uncertainty import Resampler
from folkmoot.sim.errors import AnnotationError, ConfigError, MetricError


@pytest.fixture
def real(talk):
    """The real side, 400 comments."""
    return talk(400, 40, seed=1, origin="recorded")


@pytest.fixture
def target(real):
    """Its target."""
    return build_target(real.events, real.columns, real.roles, community="en")


def published(name, target, simulated, **settings):
    """What one monitor publishes after a whole log."""
    monitor = FamilyMonitor(name, MonitorConfig(draws=50, **settings), target, seed=3)
    monitor.update(simulated.events, simulated.columns)
    return monitor.publish()


def label_counts(some, role, events=None):
    """Counts of a role's labels, in order."""
    given = [label for event in events or some.events for label in some.columns[event.seq][role]]
    return [given.count(label) for label in some.roles[role]]


def test_acts_are_a_recount(talk, real, target):
    """JS distance, shares, deltas and density ratio equal those recounted with SciPy."""
    simulated = talk(150, 20, seed=2)
    found = published("acts", target, simulated, window=0)
    p, q = (label_counts(side, "acts") for side in (real, simulated))
    assert found["acts.js_distance"] == pytest.approx(jensenshannon(p, q, base=2), rel=1e-5)
    assert found["acts.delta.ASK"] == pytest.approx(p[3] / sum(p) - q[3] / sum(q), rel=1e-4)
    assert found["acts.share.INFORM"] == pytest.approx(q[2] / sum(q), rel=1e-5)
    sentences = [sum(count_sentences(event.text) for event in side.events) for side in (real, simulated)]
    assert found["acts.density_ratio"] == pytest.approx((sum(p) / sentences[0]) / (sum(q) / sentences[1]), rel=1e-5)
    assert found["acts.n"] == 150


def test_sentiment_is_a_recount(talk, real, target):
    """Wasserstein-1 on points 1..5 and the mean equal SciPy's and NumPy's."""
    simulated = talk(150, 20, seed=2)
    found = published("sentiment", target, simulated, window=0)
    p, q = (label_counts(side, "sentiment") for side in (real, simulated))
    points = [1, 2, 3, 4, 5]
    assert found["sentiment.wasserstein"] == pytest.approx(wasserstein_distance(points, points, p, q), rel=1e-5)
    assert found["sentiment.mean"] == pytest.approx(np.average(points, weights=q), rel=1e-5)


def test_text_and_threads_are_a_recount(talk, target):
    """Words, turns and users per thread equal NumPy's over the events."""
    simulated = talk(150, 20, seed=2)
    words = [count_words(event.text) for event in simulated.events]
    found = published("text", target, simulated, window=0)
    assert found["text.words_mean"] == pytest.approx(np.mean(words), rel=1e-5)
    assert found["text.words_sd"] == pytest.approx(np.std(words, ddof=1), rel=1e-5)
    shape = published("threads", target, simulated, window=0)
    assert shape["threads.turns"] == pytest.approx(150 / len({e.thread for e in simulated.events}), rel=1e-5)


def test_the_window_is_the_last_comments(talk, real, target):
    """Windowed numbers are those of the last `window` comments alone."""
    simulated = talk(150, 20, seed=2)
    found = published("acts", target, simulated, window=30)
    q = label_counts(simulated, "acts", simulated.events[-30:])
    assert found["window.acts.js_distance"] == pytest.approx(
        jensenshannon(label_counts(real, "acts"), q, base=2), rel=1e-5
    )
    assert found["window.acts.n"] == 30
    for family in FAMILIES:
        assert published(family, target, simulated, window=30)[f"window.{family}.n"] == 30


@pytest.mark.parametrize("family", FAMILIES)
def test_every_estimate_has_its_interval_and_n(talk, target, family):
    """Beside each number stand .low <= value <= .high and .n; beside each divergence its floor."""
    found = published(family, target, talk(150, 20, seed=2))
    for name in numbers(family, target.roles):
        key = f"{family}.{name}"
        assert found[f"{key}.low"] <= found[key] <= found[f"{key}.high"], key
        assert found[f"{key}.n"] == 150
    assert all(found[f"{family}.{name}.floor"] >= 0 for name in DIVERGENCES[family])


def test_names_are_the_statistics(target, talk):
    """The names known without torch are those that the statistics give, in any family."""
    for name, tally in target.tallies.items():
        reference = Reference(name, tally, Resampler(0, 5))
        assert set(reference.measure(tally)) == set(numbers(name, target.roles))
        assert family_of(name, tally).name == name
    assert [f.name for f in (acts(("A",)), sentiment(("A",)), text(), threads(), network())] == list(FAMILIES)


def test_a_population_against_itself(real, target):
    """The same events on both sides: every divergence and delta is 0."""
    for name in FAMILIES:
        monitor = FamilyMonitor(name, MonitorConfig(draws=20, window=0), target, counting=Counting(("recorded",)))
        monitor.update(real.events, real.columns)
        found = monitor.publish()
        for key in (k for k in numbers(name, target.roles) if k in DIVERGENCES[name] or "delta" in k):
            assert found[f"{name}.{key}"] == pytest.approx(0, abs=1e-7), key


def test_recorded_openings_never_count(talk, target):
    """Recorded comments in a simulated log give places, not numbers."""
    openings = talk(30, 10, seed=5, origin="recorded")
    for name in FAMILIES:
        monitor = FamilyMonitor(name, MonitorConfig(), target)
        monitor.update(openings.events, {})
        assert {key: value for key, value in monitor.publish().items() if value} == {}


def test_candidates_count_where_asked(talk, target):
    """Teacher-forced mode counts candidates; the default doesn't."""
    candidates = talk(60, 10, seed=5, origin="candidate")
    for counting, n in ((Counting(), 0), (Counting(("candidate",)), 60)):
        monitor = FamilyMonitor("acts", MonitorConfig(draws=5), target, counting=counting)
        monitor.update(candidates.events, candidates.columns)
        assert monitor.publish()["acts.n"] == n


def test_replies_only_leaves_openings_out(talk, real):
    """With replies_only neither side counts comments that open a thread."""
    target = build_target(real.events, real.columns, real.roles, counting=Counting(("recorded",), replies_only=True))
    assert target.n_comments == 400 - len({e.thread for e in real.events})


def test_parse_failures_are_counted_and_left_out(talk, target):
    """A comment without labels (None) is no label at all; the n says so."""
    simulated = talk(50, 5, seed=2)
    columns = {**simulated.columns, 7: {"acts": None, "sentiment": None}}
    tally = make_tally("acts", Counting(), 10, target.roles)
    tally.update(simulated.events, columns)
    assert (tally.size(), tally.unlabelled(), tally.items().sum()) == (49, 1, 49)


def test_wrong_columns_are_named(talk, target):
    """A missing column and an unknown label stop with the event, the label and the way out."""
    simulated = talk(5, 2)
    monitor = FamilyMonitor("acts", MonitorConfig(), target)
    with pytest.raises(AnnotationError, match="event 0 has no column 'acts'"):
        monitor.update(simulated.events, {})
    with pytest.raises(AnnotationError, match="did you mean 'INFORM'"):
        monitor.update(simulated.events, {event.seq: {"acts": ("INFROM",)} for event in simulated.events})


def test_wrong_names_are_named(target, real):
    """Unknown monitors, alarms on unknown numbers, alarms without a bound, an absent annotator: ConfigError."""
    with pytest.raises(ConfigError, match="did you mean 'acts'"):
        build_monitors({"act": MonitorConfig()}, target)
    alarm = Alarm(metric="acts.js_distanze", above=0.3)
    with pytest.raises(ConfigError, match="did you mean 'acts.js_distance'"):
        build_monitors({"acts": MonitorConfig(alarms=(alarm,))}, target)
    with pytest.raises(ConfigError, match="set above= or below="):
        Alarm(metric="acts.js_distance")
    with pytest.raises(ConfigError, match="needs an annotator"):
        build_target(real.events, {}, {}, families=["acts"])


def test_alarms_on_any_published_name(target):
    """Windowed numbers, bounds, floors and numbers of one label can carry an alarm."""
    names = ("window.acts.js_distance.low", "acts.js_distance.floor", "acts.share.ASK", "acts.density_ratio.n")
    for name in names:
        build_monitors({"acts": MonitorConfig(alarms=(Alarm(metric=name, above=1),))}, target)


def test_an_empty_target_is_an_error(talk):
    """A population in which nothing counts can't be a target."""
    simulated = talk(10, 2)
    with pytest.raises(MetricError, match="none of 10 events"):
        build_target(simulated.events, simulated.columns, simulated.roles)


def test_floor_sizes_are_powers_of_two():
    """The floor's size is the last power of two, so a stream asks for a new one at each doubling."""
    assert all(floor_size(n) <= n < 2 * floor_size(n) for n in range(1, 500))


def test_configs_are_the_models_fields():
    """Each conf/monitor file holds its own key with exactly the model's fields, and validates."""
    from importlib.resources import files

    for name in FAMILIES:
        content = yaml.safe_load(files("folkmoot.conf").joinpath("monitor", f"{name}.yaml").read_text())
        assert list(content) == [name]
        assert set(content[name]) == set(MonitorConfig.model_fields)
        MonitorConfig.model_validate(content[name])
