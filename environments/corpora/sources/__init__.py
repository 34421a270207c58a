"""Where corpora come from: dumps, folders of wikitext, a wiki's API, other projects' formats."""
