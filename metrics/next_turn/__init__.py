"""Next-turn evaluation: pairs of a real and a generated comment to the tables and figures of Wiki-Talkie."""
