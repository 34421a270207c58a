"""Interests read off a timeline by a model: signals of posts, profiles, and answers to a request that fit them."""
