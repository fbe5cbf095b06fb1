"""Lets the tests of this folder share what those of the estimators build exchanges with."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
