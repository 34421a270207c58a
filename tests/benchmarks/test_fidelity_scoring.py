"""What scoring a response costs (`make bench`): ratios in one run, so that machines compare. Deselected by default."""

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

PROGRAM = Path(__file__).with_name("fidelity_scoring.py")

pytestmark = [pytest.mark.benchmark, pytest.mark.embedded]


@pytest.mark.parametrize("backend", ["transformers", "embedded"])
def test_one_response_against_nine_calls_and_six_orders_against_one(backend):
    """Nine separate calls take at least 5 times as long and score the same to 1e-4; six orders at most 3 times as long.

    Goals of `transformers` in float32; `embedded` (half precision inside) is reported and must be no slower.
    """
    done = subprocess.run([sys.executable, PROGRAM, backend, "1", "3"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    nine, six = median(found["nine_calls_over_one"]), median(found["six_orders_over_one"])
    sys.stdout.write(
        f"\n{backend}: prefix {found['shared_tokens']}, block {found['block_tokens']} tokens: nine calls {nine:.2f}x one"
        f" (goal 5), six orders {six:.2f}x one (goal 3), difference {found['difference']:.1e},"
        f" {found['responses_per_cpu_s']:.2f} responses a CPU second"
    )
    if backend == "transformers":
        assert nine >= 5
        assert six <= 3
        assert found["difference"] <= 1e-4
    else:
        assert nine >= 1
