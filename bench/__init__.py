"""How fast the game is, beside packages that do the like; needs ``pip install '.[bench]'``."""
