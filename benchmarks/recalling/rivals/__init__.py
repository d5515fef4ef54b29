"""What ours is measured against. A rival takes texts to store and texts to ask, and ranks the former for the latter."""
