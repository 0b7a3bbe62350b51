"""How results are shown: pictures and progress, of whatever it may be."""
