"""Captions by a model for the images of timelines that have none: a new corpus beside the old one."""

from folkmoot.environments.corpora.captions.captioner import Captioner
from folkmoot.environments.corpora.captions.media import MediaFolder
from folkmoot.environments.corpora.captions.store import caption_store, wanted_media

__all__ = ["Captioner", "MediaFolder", "caption_store", "wanted_media"]
