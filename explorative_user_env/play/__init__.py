"""Play against one user, in a browser or in a terminal.

The address of a game holds the user's options and seed, the recommendations and the arm that the
player named as best. The server computes the game from its address and stores nothing. A game shows
the user's means after the player named an arm. The page /mind always shows her hidden state.
"""
