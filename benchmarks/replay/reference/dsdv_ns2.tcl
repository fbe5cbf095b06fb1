# DSDV on a line of nodes 200 m apart in ns-2:  ns dsdv_ns2.tcl NODES LOAD_KBPS SENSED_M SEED TRACE
#
# A thin stream goes from the first node to the last, ten packets of 64 bytes a second, from the start to second 400. In
# second 200 the last node goes to the other end, where it hears the first two. LOAD_KBPS is sent by the first node to
# the second and by the last but one to the one before it, in packets of 1000 bytes, from second 50 on.
source [file join [file dirname [info script]] dsdv_nodes.tcl]
lassign $argv nodes load sensed_m seed target
set ends 400

set places {}
for {set i 0} {$i < $nodes} {incr i} {
    lappend places [list [expr {300 + 200 * $i}] 1500]
}
spread_seed $seed
dsdv_nodes $places $sensed_m 3000 routers $target
set last [expr {$nodes - 1}]
stream 0 $last 64 5.12 0 $ends
if {$load > 0} {
    stream 0 1 1000 $load 50 $ends
    stream [expr {$last - 1}] [expr {$last - 2}] 1000 $load 50 $ends
}
move $last 200 {400 1500}
run_until $ends
