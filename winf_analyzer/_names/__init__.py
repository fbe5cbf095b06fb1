"""Names that people know: vendors of address blocks, and aliases that the user gives stations."""

from winf_analyzer._names.aliases import aliases
from winf_analyzer._names.stations import Names
from winf_analyzer._names.vendors import vendor, vendor_list

__all__ = ["Names", "aliases", "vendor", "vendor_list"]
