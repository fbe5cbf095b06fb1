"""Names that people know: vendors of address blocks, aliases of stations, reason and status codes in words."""

from winf_analyzer._names.aliases import aliases
from winf_analyzer._names.codes import reason_text, status_text
from winf_analyzer._names.stations import Names
from winf_analyzer._names.vendors import vendor, vendor_list

__all__ = ["Names", "aliases", "reason_text", "status_text", "vendor", "vendor_list"]
