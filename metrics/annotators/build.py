"""Annotators from the configuration: role ("acts", "sentiment") -> annotator."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from folkmoot.agents.llm.base import cache_folder
from folkmoot.agents.llm.encoder import EncoderConfig, SentenceEncoder
from folkmoot.metrics.annotators.base import GoldLike
from folkmoot.sim.errors import ConfigError
from folkmoot.sim.persona import Frozen
from folkmoot.sim.protocols import Annotator, LanguageModel

Kind = Literal["embedded", "llm", "hub", "scripted"]


class AnnotatorConfig(Frozen):
    """Who labels dialog acts and sentiment.

    Attributes:
        name: of both; `hub` means sentiment by the hub model and acts by the embedded head.
        acts: another choice for acts; `hub` has none.
        sentiment: another choice for sentiment.
        hub_model: hub name or folder of the sentiment classifier.
        device: torch device of the hub model.
        encoder: the sentence encoder under the embedded heads.
        keep: keep answers on disk, so that annotating again is free (never those of `scripted`).
        keep_path: file of the kept answers; "": in the cache folder.
    """

    name: Kind = "embedded"
    acts: Literal["embedded", "llm", "scripted"] | None = None
    sentiment: Kind | None = None
    hub_model: str = "tabularisai/multilingual-sentiment-analysis"
    device: str = "cpu"
    encoder: EncoderConfig = EncoderConfig()
    keep: bool = True
    keep_path: str = ""


def build_annotators(
    config: AnnotatorConfig,
    *,
    model: LanguageModel | None = None,
    gold: Mapping[str, GoldLike] | None = None,
    encoder: SentenceEncoder | None = None,
) -> dict[str, Annotator]:
    """Role -> annotator.

    Args:
        config: who labels.
        model: for `llm`.
        gold: source id -> labels, for `scripted`.
        encoder: one that is loaded already; else `config.encoder` is loaded where a head needs it.

    Raises:
        ConfigError: `llm` without a model.
        ModelMissing: weights that aren't there.
    """
    kinds = kinds_of(config)
    if "embedded" in kinds.values():
        encoder = encoder or SentenceEncoder(config.encoder)
    given = _Given(config, model, gold, encoder)
    return {role: _kept(_build(role, kind, given), kind, config) for role, kind in kinds.items()}


def kinds_of(config: AnnotatorConfig) -> dict[str, Kind]:
    """Role -> who labels."""
    return {
        "acts": config.acts or ("embedded" if config.name == "hub" else config.name),
        "sentiment": config.sentiment or config.name,
    }


def _kept(annotator: Annotator, kind: Kind, config: AnnotatorConfig) -> Annotator:
    if kind == "scripted" or not config.keep:
        return annotator
    from folkmoot.metrics.annotators.kept import Kept

    return Kept(annotator, Path(config.keep_path) if config.keep_path else cache_folder() / "labels.sqlite")


class _Given(NamedTuple):
    config: AnnotatorConfig
    model: LanguageModel | None
    gold: Mapping[str, GoldLike] | None
    encoder: SentenceEncoder | None


def _build(role: str, kind: Kind, given: _Given) -> Annotator:
    from folkmoot.metrics.annotators import embedded, hub, llm, scripted

    if kind == "embedded":
        encoder = given.encoder or SentenceEncoder(given.config.encoder)
        return embedded.EmbeddedActs(encoder) if role == "acts" else embedded.EmbeddedSentiment(encoder)
    if kind == "scripted":
        return scripted.ScriptedActs(given.gold) if role == "acts" else scripted.ScriptedSentiment(given.gold)
    if kind == "hub":
        return hub.HubSentiment(given.config.hub_model, given.config.device)
    if given.model is None:
        raise ConfigError(f"annotator.{role}=llm needs a language model and none was given: choose one with llm=...")
    return llm.PromptedActs(given.model) if role == "acts" else llm.PromptedSentiment(given.model)
