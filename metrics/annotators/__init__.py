"""Dialog acts and sentiment as columns beside the log."""
