"""Play against one user, in a browser or in a terminal.

The address of a game holds the user's options and seed, the recommendations and the answer. The
server computes the game from its address and stores nothing. A game shows the user's means after
the answer. The page /mind of the game shows her hidden state at any time.
"""
