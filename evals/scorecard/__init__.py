"""Everything that is claimed, measured on the machine at hand: one table, one page, one set of floors."""
