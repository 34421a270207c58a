"""The page stage's tables in numbers, and the digest of a whole store."""

from hashlib import blake2b

from folkmoot.environments.corpora.pipeline.shards import ShardRecord
from folkmoot.environments.corpora.store import Store
from folkmoot.environments.corpora.store.manifest import TableRecord
from folkmoot.environments.corpora.store.schema import SHARDED, TABLES
from folkmoot.environments.corpora.store.tables import hash_row


def table_records(store: Store, records: list[ShardRecord]) -> dict[str, TableRecord]:
    """A record for each table that the shards wrote; the digest of pages covers their threads and comments."""
    rows: dict[str, int] = dict.fromkeys(SHARDED, 0)
    for record in records:
        for table, count in record.rows.items():
            rows[table] = rows.get(table, 0) + count
    digests = {table: _digest(store, table) for table in rows if table not in SHARDED}
    digests |= dict.fromkeys(SHARDED, _pages_digest(store))
    return {
        table: TableRecord(rows=count, parts=len(store.parts(table)), digest=digests[table])
        for table, count in rows.items()
    }


def _pages_digest(store: Store) -> str:
    whole = blake2b(digest_size=16)
    for row in store.rows("pages", ["digest"]):
        whole.update(bytes.fromhex(row["digest"]))
    return whole.hexdigest()


def _digest(store: Store, table: str) -> str:
    whole = blake2b(digest_size=16)
    for row in store.rows(table):
        whole.update(hash_row(TABLES[table], row))
    return whole.hexdigest()


def whole_digest(store: Store) -> str:
    """32 hex digits over the names and digests of all tables, the language and the community's name."""
    whole = blake2b(digest_size=16)
    whole.update(f"{store.manifest.name}\0{store.manifest.language}\0".encode())
    for table, record in sorted(store.manifest.tables.items()):
        whole.update(f"{table}\0{record.rows}\0{record.digest}\0".encode())
    return whole.hexdigest()
