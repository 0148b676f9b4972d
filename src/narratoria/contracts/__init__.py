"""The documents' contracts: JSON Schemas as package data, and checks that say where, what and what next."""

from narratoria.contracts.check import Contract, add_locations, check, check_value, contract, load, parse

__all__ = ["Contract", "add_locations", "check", "check_value", "contract", "load", "parse"]
