"""A social feed: posts, reactions, a follow graph and rankings."""
