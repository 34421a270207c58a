"""Persona and view to messages."""
