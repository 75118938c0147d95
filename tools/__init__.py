"""Scripts for development; none of them are part of the distribution."""
