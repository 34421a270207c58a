"""The commands of `folkmoot`, one module each."""
