"""A person recommends: games with one user, on a page and in a terminal.

A game is its address: who the user is, her seed, what was recommended to her and which arm was
named as the best. All else follows, so no server keeps anything, and the truth is told of games
that have an answer only, or to who asks for it by name.
"""
