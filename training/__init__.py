"""Training of agents on the environments of this package."""
