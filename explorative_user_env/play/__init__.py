"""Play against one user, in a browser or in a terminal.

The address of a game holds the user's options and seed, the recommendations and the answer. The
game is recomputed from its address, so the server stores nothing. A game shows the user's means
after the answer, or on the page of her hidden state.
"""
