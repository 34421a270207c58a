"""Places where events happen, recorded or simulated."""
