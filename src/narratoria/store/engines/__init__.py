"""Defines the database engines that a store can use: a SQLite file or a PostgreSQL server."""
