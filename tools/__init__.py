"""What the house is checked and kept with; none of it is shipped."""
