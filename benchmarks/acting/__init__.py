"""The parts of the agents benchmark: tasks that come back, the helpers of a house, and what a run of an agent was."""
