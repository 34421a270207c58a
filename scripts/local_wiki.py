"""A MediaWiki on this machine: set up in a folder, filled from dumps, and served until it is ended.

    python scripts/local_wiki.py FOLDER [--lang de] [DUMP.xml ...]

Needs Debian's packages mediawiki, php-cli and php-sqlite3 (scripts/install_mediawiki.sh). The first line printed is the
address of api.php. Nothing is written outside the folder, and the server listens on this machine only.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

MEDIAWIKI = Path(os.environ.get("FOLKMOOT_MEDIAWIKI", "/usr/share/mediawiki"))
PASSWORD = "nobody logs in here"  # noqa: S105 -- of an empty wiki that ends with its test
MISSING = 77
"""Exit status where the packages aren't there."""


def missing() -> str | None:
    """What isn't installed; None if everything is."""
    if shutil.which("php") is None:
        return "php isn't installed"
    if not (MEDIAWIKI / "maintenance" / "install.php").is_file():
        return f"no MediaWiki in {MEDIAWIKI}"
    modules = subprocess.run(["php", "-m"], capture_output=True, text=True, check=False).stdout.split()  # noqa: S607 -- php from the path
    lacking = sorted({"intl", "mbstring", "sqlite3", "xml"} - {name.lower() for name in modules})
    return f"php lacks {', '.join(lacking)}" if lacking else None


def maintain(script: str, *arguments: str, settings: Path | None = None, dump: Path | None = None) -> None:
    """Run one of MediaWiki's maintenance scripts; its words are shown if it fails."""
    variables = {**os.environ, **({"MW_CONFIG_FILE": str(settings)} if settings else {})}
    command = ["php", str(MEDIAWIKI / "maintenance" / script), *arguments, *([str(dump)] if dump else [])]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)  # noqa: S603 -- our own words
    if done.returncode:
        sys.exit(f"{script} failed ({done.returncode}):\n{done.stdout}\n{done.stderr}")


def set_up(folder: Path, language: str, dumps: list[Path]) -> Path:
    """An empty wiki with the pages of these dumps; returns its settings file."""
    folder.mkdir(parents=True, exist_ok=True)
    place = ["--confpath", str(folder), "--dbtype", "sqlite", "--dbpath", str(folder / "data"), "--dbname", "testwiki"]
    site = ["--server", "http://127.0.0.1", "--scriptpath", "", "--lang", language, "--pass", PASSWORD, "--skins", ""]
    maintain("install.php", *place, *site, "Test Wiki", "Keeper")
    settings = folder / "LocalSettings.php"
    for dump in dumps:
        maintain("importDump.php", settings=settings, dump=dump)
    return settings


def serve(settings: Path, folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """PHP's own server on a free port, once it answers; another port is tried if somebody was faster."""
    variables = {**os.environ, "MW_CONFIG_FILE": str(settings)}
    for _ in range(5):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = ["php", "-S", f"127.0.0.1:{port}", "-t", str(MEDIAWIKI)]
        with (folder / "server.log").open("ab") as log:
            server = subprocess.Popen(command, env=variables, stdout=log, stderr=log)  # noqa: S603 -- our own words
        url = f"http://127.0.0.1:{port}/api.php"
        if answers(server, url):
            return server, url
        server.kill()
        server.wait()
    sys.exit(f"php's server didn't start; see {folder / 'server.log'}")


def answers(server: subprocess.Popen[bytes], url: str, seconds: float = 120.0) -> bool:
    """Whether the wiki answers before the server ends; the first answer builds its caches and takes seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urlopen(f"{url}?action=query&meta=siteinfo&format=json", timeout=seconds) as answer:  # noqa: S310 -- ours
                return b"testwiki" in answer.read()
        except HTTPError as error:
            sys.exit(f"the wiki answers {error.code}: {error.read()[:2000]!r}")
        except (URLError, OSError):
            time.sleep(0.05)
    return False


def main() -> None:
    """Set up, serve, wait for the end of standard input or a signal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("dumps", type=Path, nargs="*")
    parser.add_argument("--lang", default="en")
    given = parser.parse_intermixed_args()
    if (reason := missing()) is not None:
        print(reason, file=sys.stderr)
        sys.exit(MISSING)
    folder = given.folder.resolve()
    server, url = serve(set_up(folder, given.lang, [dump.resolve() for dump in given.dumps]), folder)
    try:
        print(url, flush=True)
        sys.stdin.buffer.read()
    except KeyboardInterrupt:
        pass
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
