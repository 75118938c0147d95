"""The rules of Kilim, a game by Yannick Chabas."""
