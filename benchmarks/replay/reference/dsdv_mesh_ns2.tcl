# Mesh nodes and mobiles that run DSDV in ns-2:  ns dsdv_mesh_ns2.tcl SCENE SEED SECONDS TRACE
#
# SCENE is a Tcl file with `places`, `moves` (node, time, x, y, m/s) and `streams` (from, to, kbit/s), which
# record_dsdv_mesh_ns2.py writes. Streams are packets of 1000 bytes, from the start to the end.
source [file join [file dirname [info script]] dsdv_nodes.tcl]
lassign $argv scene seed seconds target
source $scene
spread_seed $seed
dsdv_nodes $places 550 3000 routers $target
foreach found $moves {
    lassign $found which at x y speed
    $ns at $at "$node($which) setdest $x $y $speed"
}
foreach found $streams {
    lassign $found from to kbps
    stream $from $to 1000 $kbps 0 $seconds
}
run_until $seconds
