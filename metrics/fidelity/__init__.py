"""Persona fidelity as structured inverse inference (PRISM): label spaces, prompts, evidence, benchmarks."""
