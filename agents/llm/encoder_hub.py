"""Any encoder that transformers can load, by hub name or local path, behind the same face as `Bert`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from folkmoot.sim.errors import ModelMissing

if TYPE_CHECKING:
    import torch

_PLAIN = ("bert", "roberta", "xlm-roberta", "camembert", "electra")
"""Families whose layers stand in `encoder.layer`, each ending in its own norm."""

_LONGEST = 8192
"""Bound on tokens where a tokenizer states none."""


class HubModel:
    """A transformers encoder.

    Args:
        model: hub name or folder.
        device: any torch device.
        dtype: name of a torch dtype.

    Raises:
        ModelMissing: there is no such model here, and no hub answers.
    """

    def __init__(self, model: str, device: str = "cpu", dtype: str = "float32") -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer

        try:
            self._tokenizer = AutoTokenizer.from_pretrained(model)
            self._model = AutoModel.from_pretrained(model, dtype=getattr(torch, dtype)).eval().to(device)
        except (OSError, ValueError) as error:
            raise ModelMissing(
                f"encoder {model!r} can't be loaded ({error}); give a folder, a hub name with the hub reachable,"
                " or model='embedded'"
            ) from error
        config = self._model.config
        self.layers: int = config.num_hidden_layers
        self.hidden_size: int = config.hidden_size
        positions = getattr(config, "max_position_embeddings", _LONGEST)
        self.max_tokens: int = min(int(self._tokenizer.model_max_length), positions, _LONGEST)
        self._device = torch.device(device)

    def tokenize(self, text: str) -> list[int]:
        """Token ids, with the model's own special tokens."""
        ids: list[int] = self._tokenizer(text, verbose=False)["input_ids"]
        return ids

    def hidden(
        self, batch: Sequence[Sequence[int]], last: int | None = None
    ) -> tuple[list["torch.Tensor"], "torch.Tensor"]:
        """Hidden states after the embeddings and each layer, and the mask; see `Bert.hidden`."""
        import torch

        pad = self._tokenizer.pad_token_id or 0
        width = max(map(len, batch))
        ids = torch.tensor([[*row, *[pad] * (width - len(row))] for row in batch], device=self._device)
        lengths = torch.tensor([len(row) for row in batch], device=self._device)
        mask = torch.arange(width, device=self._device) < lengths[:, None]
        with torch.inference_mode(), self._first(last) as alone:
            out = self._model(input_ids=ids, attention_mask=mask.long(), output_hidden_states=not alone)
        states = [out.last_hidden_state] if alone else out.hidden_states
        return [state.float() for state in (states if last is None or alone else states[: last + 1])], mask

    @contextmanager
    def _first(self, last: int | None) -> Iterator[bool]:
        """Without the layers past `last`, where the family is known to have nothing after its layers; whether so.

        The model then gives that layer's states alone (asked for all, transformers would go on to watch only the layers
        that it has now). It is used by one thread at a time: `SentenceEncoder` sees to it.
        """
        encoder = getattr(self._model, "encoder", None)
        if last is None or encoder is None or self._model.config.model_type not in _PLAIN:
            yield False
            return
        whole, encoder.layer = encoder.layer, encoder.layer[:last]
        try:
            yield True
        finally:
            encoder.layer = whole
