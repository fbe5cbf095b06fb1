# DSDV on a line of nodes 200 m apart in ns-2:  ns dsdv_ns2.tcl NODES LOAD_KBPS SENSED_M SEED TRACE
#
# 250 m are decoded. A thin stream goes from the first node to the last, ten packets of 64 bytes a second, from the start
# to second 400. In second 200 the last node goes to the other end, where it hears the first two. LOAD_KBPS is sent by
# the first node to the second and by the last but one to the one before it, in packets of 1000 bytes, from second 50 on.
lassign $argv nodes load sensed_m seed target
set moves 200
set ends 400

# Two-ray ground with the default 24.5 dBm: what is left at 250 m and at 550 m.
set threshold(250) 3.652e-10
set threshold(550) 1.559e-11
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ $threshold(250)
Phy/WirelessPhy set CSThresh_ $threshold($sensed_m)
Phy/WirelessPhy set CPThresh_ 10.0
Mac/802_11 set RTSThreshold_ 3000
Mac/802_11 set dataRate_ 11e6
Mac/802_11 set basicRate_ 1e6
Mac/802_11 set PLCPDataRate_ 1e6

ns-random $seed
set ns [new Simulator]
set trace [open $target w]
$ns trace-all $trace
set topography [new Topography]
$topography load_flatgrid 3000 3000
create-god $nodes
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace ON -routerTrace ON -macTrace OFF -movementTrace OFF
for {set i 0} {$i < $nodes} {incr i} {
    set node($i) [$ns node]
    $node($i) random-motion 0
    $node($i) set X_ [expr {300 + 200 * $i}]
    $node($i) set Y_ 1500
    $node($i) set Z_ 0
}

proc stream {from to bytes kbps start} {
    global ns node ends
    set udp [new Agent/UDP]
    set null [new Agent/Null]
    $udp set packetSize_ 1500
    $ns attach-agent $node($from) $udp
    $ns attach-agent $node($to) $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $bytes
    $cbr set rate_ ${kbps}kb
    $cbr attach-agent $udp
    $ns at $start "$cbr start"
    $ns at $ends "$cbr stop"
}

set last [expr {$nodes - 1}]
stream 0 $last 64 5.12 0
if {$load > 0} {
    stream 0 1 1000 $load 50
    stream [expr {$last - 1}] [expr {$last - 2}] 1000 $load 50
}
# As fast as ns-2 lets nodes move: it is there at once.
$ns at $moves "$node($last) setdest 400 1500 1000000"
$ns at $ends {
    $ns flush-trace
    close $trace
    exit 0
}
$ns run
