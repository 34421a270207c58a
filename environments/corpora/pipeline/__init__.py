"""From a source to a store: shards of pages in worker processes, then stages over the store."""
