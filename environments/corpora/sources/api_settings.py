"""What `folkmoot corpus build --from https://...` may be told of a wiki's API."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from folkmoot.sim.errors import ConfigError, did_you_mean
from folkmoot.sim.persona import Frozen


class ApiSettings(Frozen):
    """How pages are chosen and how politely they are asked for.

    Attributes:
        titles: a file of titles, one a line, each as it stands; lines that begin with # are remarks.
        prefix: all talk pages whose title, with or without its namespace, begins so.
        category: talk pages of all members of a category.
        users: user pages of the authors too.
        articles: the article behind each thread too, a request each.
        contact: an address that the wiki's operators can write to; part of the user agent.
        rate: requests a second at most.
        batch: titles of a request; wikis allow 50 to those who aren't bots.
        maxlag: seconds that the wiki's databases may lag before we wait.
        patience: seconds that one request may wait in all before the build stops.
        tries: times that a connection is tried before the build stops.
        timeout: seconds without a byte after which a connection counts as lost.
    """

    titles: Path | None = None
    prefix: str | None = None
    category: str | None = None
    users: bool = True
    articles: bool = True
    contact: str = Field(default="", pattern=r"^[\x20-\x7e]{0,200}$")
    rate: float = Field(default=5.0, gt=0, le=100)
    batch: int = Field(default=50, ge=1, le=500)
    maxlag: int = Field(default=5, ge=1, le=3600)
    patience: float = Field(default=900.0, ge=0)
    tries: int = Field(default=5, ge=1, le=100)
    timeout: float = Field(default=60.0, gt=0)


def read_settings(options: Mapping[str, Any]) -> ApiSettings:
    """The settings in these options.

    Raises:
        ConfigError: an unknown option, or a value out of its bounds.
    """
    for name in options:
        if name not in ApiSettings.model_fields:
            raise ConfigError(
                f"unknown option {name!r} of an API source; {did_you_mean(name, ApiSettings.model_fields)}"
            )
    try:
        return ApiSettings.model_validate(dict(options))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"option {name} of an API source is {first['input']!r}: {first['msg']}") from error
