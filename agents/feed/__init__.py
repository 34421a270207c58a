"""People on a social feed: what they do there, and what they write."""
