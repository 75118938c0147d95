"""The commands, a module for each few that belong together; `cli.main` adds them to the command line."""
