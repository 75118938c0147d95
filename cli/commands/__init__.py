"""The commands in groups, one module each. `cli.main` adds them to the command line."""
