"""Run by Alembic, inside the transaction that the store has opened."""

from alembic import context

from narratoria.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,  # SQLite can: a migration happens completely or not at all
)
with context.begin_transaction():
    context.run_migrations()
