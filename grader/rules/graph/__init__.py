"""Rules about how lessons, mission and exercises hang together."""
