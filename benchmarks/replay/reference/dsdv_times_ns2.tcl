# How long DSDV takes in ns-2 to find a route, and to find another one:  ns dsdv_times_ns2.tcl SCENE SEED TRACE
#
# Ten packets of 64 bytes a second go from the first node to the last from the start on. Places in m, after 200.05 s a node
# moves:
#   one      one hop; nothing moves
#   two      two hops; nothing moves
#   nearer   three hops; the last node moves into the first one's range
#   farther  one hop; the last node moves to where it takes three
#   around   two hops over the second node, which moves away; over two others it takes three
source [file join [file dirname [info script]] dsdv_nodes.tcl]
lassign $argv scene seed target
array set places {
    one     {{300 1500} {500 1500}}
    two     {{300 1500} {500 1500} {700 1500}}
    nearer  {{300 1500} {500 1500} {700 1500} {900 1500}}
    farther {{300 1500} {500 1500} {700 1500} {400 1500}}
    around  {{300 1500} {500 1500} {400 1700} {600 1700} {700 1500}}
}
spread_seed $seed
dsdv_nodes $places($scene) 550 3000 routers $target
stream 0 [expr {[llength $places($scene)] - 1}] 64 5.12 0 400
switch $scene {
    nearer  { move 3 200.05 {400 1500} }
    farther { move 3 200.05 {900 1500} }
    around  { move 1 200.05 {5000 5000} }
}
run_until 400
