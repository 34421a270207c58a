"""Language-model backends behind one small interface."""
