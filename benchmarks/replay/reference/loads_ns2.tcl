# Datagrams at fixed rates over 802.11b with RTS/CTS in ns-2, in a scene that a file of Tcl declares:
#     ns loads_ns2.tcl SCENE_FILE SENSED_M ROUTES SEED SECONDS TRACE
#
# The file fills the lists `places` (X Y of every node), `moves` (node, time, X, Y, speed in m/s; of nodes that move) and
# `flows` (from, to, payload bits per second, first second). 250 m are decoded, SENSED_M sensed. ROUTES is dsdv, or held:
# DSDV that forgets no route and sends nothing more once flows begin. Times count from the second 300, when every route is
# known. Writes the wireless trace to TRACE.
source [file join [file dirname [info script]] dsdv_nodes.tcl]
lassign $argv scene sensed_m routes seed seconds target
set settled 300
set payload 1460
source $scene

if {$routes eq "held"} { Agent/DSDV set min_update_periods_ 1000000 }
ns-random $seed
dsdv_nodes $places $sensed_m 0 macs $target
foreach move $moves {
    lassign $move number at x y speed
    $ns at [expr {$settled + $at}] "$node($number) setdest $x $y $speed"
}
foreach flow $flows {
    lassign $flow from to rate_bps first
    set udp [new Agent/UDP]
    $udp set packetSize_ $payload
    set null [new Agent/Null]
    $ns attach-agent $node($from) $udp
    $ns attach-agent $node($to) $null
    $ns connect $udp $null
    set source [new Application/Traffic/CBR]
    $source set packetSize_ $payload
    $source set interval_ [expr {8.0 * $payload / $rate_bps}]
    $source set random_ 0
    $source attach-agent $udp
    $ns at [expr {$settled + $first}] "$source start"
}

proc hold {} {
    global node
    foreach name [array names node] { [$node($name) set ragent_] set perup_ 1000000 }
}
if {$routes eq "held"} { $ns at [expr {$settled - 60}] hold }
run_until [expr {$settled + $seconds}]
