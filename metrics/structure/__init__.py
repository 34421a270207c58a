"""The structure of a community: who reaches whom, how far words travel, when people act."""
