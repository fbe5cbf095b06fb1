# Datagrams at fixed rates over 802.11b with RTS/CTS in ns-2, in a scene that a file of Tcl declares:
#     ns loads_ns2.tcl SCENE_FILE SENSED_M ROUTES SEED SECONDS TRACE
#
# The file fills the lists `places` (X Y of every node), `moves` (node, time, X, Y, speed in m/s; of nodes that move) and
# `flows` (from, to, payload bits per second, first second). 250 m are decoded, SENSED_M sensed. ROUTES is dsdv, or held:
# DSDV that forgets no route and sends nothing more once flows begin. Times count from the second 300, when every route is
# known. Writes the wireless trace to TRACE.
lassign $argv scene sensed_m routes seed seconds target
set settled 300
set payload 1460
source $scene

# Two-ray ground with the default 24.5 dBm: what is left at 250 m and at 500 m.
set threshold(250) 3.652e-10
set threshold(500) 2.2825e-11
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ $threshold(250)
Phy/WirelessPhy set CSThresh_ $threshold($sensed_m)
Phy/WirelessPhy set CPThresh_ 10.0
Mac/802_11 set RTSThreshold_ 0
Mac/802_11 set dataRate_ 11e6
Mac/802_11 set basicRate_ 1e6
Mac/802_11 set PLCPDataRate_ 1e6
if {$routes eq "held"} { Agent/DSDV set min_update_periods_ 1000000 }

ns-random $seed
set ns [new Simulator]
set trace [open $target w]
$ns trace-all $trace
set topography [new Topography]
$topography load_flatgrid 4000 4000
create-god [llength $places]
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace ON -routerTrace OFF -macTrace ON -movementTrace OFF

set number 0
foreach place $places {
    set node($number) [$ns node]
    $node($number) random-motion 0
    $node($number) set X_ [lindex $place 0]
    $node($number) set Y_ [lindex $place 1]
    $node($number) set Z_ 0
    incr number
}
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
$ns at [expr {$settled + $seconds}] {
    $ns flush-trace
    close $trace
    exit 0
}
$ns run
