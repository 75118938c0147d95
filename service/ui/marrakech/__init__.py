"""How Marrakech is presented: choices, sentences, standings, pictures and boards in characters."""
