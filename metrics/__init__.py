"""Events to annotations to numbers."""
