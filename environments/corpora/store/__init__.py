"""A built corpus on disk: Parquet tables and a manifest."""

from folkmoot.environments.corpora.store.manifest import SCHEMA, Manifest, StageRecord, Tally
from folkmoot.environments.corpora.store.store import Store, StoredPage, is_store

__all__ = ["SCHEMA", "Manifest", "StageRecord", "Store", "StoredPage", "Tally", "is_store"]
