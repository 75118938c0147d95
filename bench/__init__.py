"""What `make bench` runs: figures, not tests. Machines differ and are noisy, so each table has its own yardstick."""
