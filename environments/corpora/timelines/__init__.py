"""Timelines: people's own archives and tables of posts, read into one form."""
