"""The demo feed that ships with Folkmoot: fictional people, their timelines and known interests (see README.md)."""

from folkmoot.environments.corpora.demo_feed.load import demo_feed_languages, load_demo_feed
from folkmoot.environments.corpora.demo_feed.signals import Signal, demo_signals

__all__ = ["Signal", "demo_feed_languages", "demo_signals", "load_demo_feed"]
