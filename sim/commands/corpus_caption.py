"""`folkmoot corpus caption`: a model that sees describes images without a caption; the new corpus is written beside."""

from collections.abc import Sequence
from pathlib import Path

from folkmoot.environments.corpora.captions import Captioner, MediaFolder, caption_store, wanted_media
from folkmoot.environments.corpora.captions.captioner import PROMPTS
from folkmoot.environments.corpora.pipeline.identity import salt_check
from folkmoot.environments.corpora.salt import find_salt
from folkmoot.environments.corpora.store import Store
from folkmoot.sim.commands.corpus_pass import asked_model
from folkmoot.sim.commands.corpus_summary import summary
from folkmoot.sim.errors import CorpusError


def caption(path: Path, media: Path, out: Path, salt_file: Path | None, overrides: Sequence[str]) -> str:
    """Describe the images of a corpus; returns what to print.

    Raises:
        CorpusError: no complete corpus of timelines there, no folder, another salt, or something is at `out`.
        ModelError: the model doesn't see, or a call failed for good; the same command makes only the missing calls.
    """
    store = Store.open(path)
    wanted = wanted_media(store)
    folder = MediaFolder(media, _salt(store, salt_file), wanted)
    with asked_model(overrides) as asked:
        captioner = Captioner(asked.pool, folder, store.manifest.language, asked.seed)
        if wanted:
            asked.runner.run(captioner.check())
        new = caption_store(store, out, captioner, asked.runner, asked.facts(PROMPTS.hashes()))
    return "\n".join(summary(new))


def _salt(store: Store, file: Path | None) -> bytes:
    """The salt that the corpus was built with: without it no file can be told."""
    salt = find_salt(file)
    if salt_check(salt) != store.manifest.salt_check:
        raise CorpusError(
            f"{store.path} was built with another salt, so its images can't be told; give --salt-file or FOLKMOOT_SALT"
        )
    return salt
