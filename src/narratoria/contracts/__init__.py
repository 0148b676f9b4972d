"""Loads the JSON Schemas of the documents and checks documents against them."""

from narratoria.contracts.check import Contract, add_locations, check, check_value, contract, load, parse

__all__ = ["Contract", "add_locations", "check", "check_value", "contract", "load", "parse"]
