"""W&B in a process of its own: requests in, one JSON object a line; answers out, one word a line.

It is started by path and imports nothing of ours. It catches nothing: whatever goes wrong ends it, and the
tracker on the other side reads the last line of its messages.
"""

import json
import os
from pathlib import Path
from typing import IO, Any


def _private() -> tuple[IO[str], IO[str]]:
    """Our two pipes, out of reach of anything that W&B reads from or prints to a console."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


def _environment(folder: Path, *, offline: bool) -> None:
    """What W&B reads from the environment only; offline, everything stays under the run folder."""
    os.environ["WANDB_ERROR_REPORTING"] = "false"
    os.environ["WANDB_CACHE_DIR"] = str(folder / "wandb" / "cache")
    os.environ["WANDB_DATA_DIR"] = str(folder / "wandb")
    if offline:
        os.environ["WANDB_CONFIG_DIR"] = str(folder / "wandb" / "config")


def _start(request: dict[str, Any]) -> Any:
    folder = Path(request["folder"])
    _environment(folder, offline=request["mode"] == "offline")
    import wandb

    settings = wandb.Settings(
        silent=True,
        console="off",
        disable_code=True,
        disable_git=True,
        disable_job_creation=True,
        host="",
        init_timeout=request["timeout"],
        x_disable_meta=True,
        x_disable_machine_info=True,
        x_disable_stats=True,
        x_save_requirements=False,
    )
    names = {key: request[key] for key in ("project", "entity", "group", "name", "tags", "mode")}
    return wandb.init(**names, dir=str(folder), config=request["config"], settings=settings)


def _finish(run: Any, request: dict[str, Any]) -> None:
    import wandb

    run.summary.update({**request["summary"], "state": request["state"]})
    media = {f"figures/{Path(path).stem}": wandb.Image(path) for path in request["figures"]}
    for name, (columns, rows) in request["tables"].items():
        media[f"tables/{name}"] = wandb.Table(columns=columns, data=rows, allow_mixed_types=True)
    if media:
        run.log(media)
    if request["files"]:
        artifact = wandb.Artifact(f"run-{run.id}", type="run", metadata={"state": request["state"]})
        for path, name in request["files"]:
            artifact.add_file(path, name=name)
        run.log_artifact(artifact)
    run.finish(exit_code=request["exit_code"])


def main() -> None:
    """Serve one run; requests that end without `finish` are a run that died."""
    requests, answers = _private()
    run: Any = None
    for line in requests:
        request = json.loads(line)
        if request["do"] == "start":
            run = _start(request)
            print("started", file=answers, flush=True)
        elif request["do"] == "log":
            run.log(request["scalars"], step=request["step"])
        else:
            _finish(run, request)
            print("finished", file=answers, flush=True)
            return
    if run is not None:
        run.finish(exit_code=1)


if __name__ == "__main__":
    main()
