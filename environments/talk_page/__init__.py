"""A Wikipedia Talk page: state, rules, view, wikitext."""
