"""The commands, a module for each few that belong together; each is imported when it is called."""
