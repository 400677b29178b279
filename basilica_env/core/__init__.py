"""The compiled core: arrays only. It knows no Python object, no I/O and no face above it."""
