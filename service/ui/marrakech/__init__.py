"""Drawing: a game's view as a picture and in plain characters, and nothing that asks who is looking."""
