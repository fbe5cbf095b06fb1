"""How right the estimators are: ns-3 scenarios whose available bandwidth is measured by filling the link."""
