"""The full-screen client: a table in the terminal, played by keys and by mouse."""
