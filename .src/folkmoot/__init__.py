"""Folkmoot: simulate an online community with language-model personas and measure it while it talks."""
