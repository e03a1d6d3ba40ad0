"""Protocols of databases: which recordings are for training, development and test."""
