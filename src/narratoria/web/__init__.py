"""Serves an HTTP API over the engine, a stream of events for each story, and the app on both."""
