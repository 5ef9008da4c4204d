"""The daemon: it deals, decides, keeps the time, and tells each player what that seat may see."""
