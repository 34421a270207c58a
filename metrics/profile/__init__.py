"""Interest profiles (SocialPersona): scores of evidence, matching of tags, gold profiles, tables."""
