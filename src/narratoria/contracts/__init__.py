"""The documents' contracts: JSON Schemas as package data, and checks that say where, what and what next."""

from narratoria.contracts.check import Contract, check, check_value, contract, load, parse, placed

__all__ = ["Contract", "check", "check_value", "contract", "load", "parse", "placed"]
