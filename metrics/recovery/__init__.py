"""Recovery: how far what agents post in a run reveals the persona that made them post it (SocialPersona, section 5)."""
