//! Native half of winf_analyzer.
