"""What a run has spent outlives the processes that spent it, however they ended."""

import pytest

from folkmoot.sim.experiments.spending import Spending


def spent(path, *batches):
    """A process that opens the file and pays for batches of tokens."""
    total = 0
    spending = Spending(path, lambda: (total, 0.0))
    for tokens in batches:
        total += tokens
        spending.note()
    return spending.tokens


@pytest.mark.parametrize("torn", [b'{"tokens":99', b"{", b'{"tokens":99,"cost":0.0}'])
def test_a_line_that_a_killed_process_left(torn, tmp_path):
    """An unfinished last line is cut off at opening: what follows stands on a line of its own, and every later process reads it."""
    path = tmp_path / "spent.jsonl"
    assert spent(path, 10, 5) == 15
    with path.open("ab") as file:
        file.write(torn)
    assert spent(path, 7) == 22
    assert spent(path, 1) == 23
    assert path.read_bytes().count(b"\n") == 4
