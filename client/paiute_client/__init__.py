"""The player's side: the programs one sits down with, and the library for scripted players."""
