"""Who acts: conditioning, memory, the LangGraph agent and its backends."""
