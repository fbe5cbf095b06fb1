# S001's string with cross traffic in ns-2 over AODV:  ns string_ns2.tcl AGENT CROSS_KBPS SEED
#
# Ten times the paper's distances, 200 m apart and heard to 225 m, so that ns-2's radio model needs no change.
# Prints payload rates of the TCP flow, kbit/s: alone (5 to 15 s and 33 to 45 s) and with cross traffic (16 to 30 s).
lassign $argv agent cross_kbps seed

Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 5.567e-10
Phy/WirelessPhy set CSThresh_ 5.567e-10
Mac/802_11 set dataRate_ 11e6
Mac/802_11 set basicRate_ 1e6
Mac/802_11 set RTSThreshold_ 0

ns-random $seed
set ns [new Simulator]
$ns trace-all [open /dev/null w]
set topography [new Topography]
$topography load_flatgrid 1000 1000
create-god 6
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 20 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
set number 0
foreach {x y} {100 100 300 100 500 100 700 100 500 300 700 300} {
    set node($number) [$ns node]
    $node($number) random-motion 0
    $node($number) set X_ $x
    $node($number) set Y_ $y
    $node($number) set Z_ 0
    incr number
}

set tcp [new Agent/$agent]
$tcp set packetSize_ 1000
set sink [new Agent/TCPSink]
$ns attach-agent $node(0) $tcp
$ns attach-agent $node(3) $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 3 "$ftp start"

set udp [new Agent/UDP]
set null [new Agent/Null]
$ns attach-agent $node(4) $udp
$ns attach-agent $node(5) $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 1000
$cbr set rate_ ${cross_kbps}kb
$cbr attach-agent $udp
$ns at 15 "$cbr start"
$ns at 30 "$cbr stop"

foreach second {5 15 16 30 33 44.999} {
    $ns at $second "set acked($second) \[\$tcp set ack_]"
}
$ns at 45 {
    set alone [expr {($acked(15) - $acked(5) + $acked(44.999) - $acked(33)) * 8 / 22.0}]
    set crossed [expr {($acked(30) - $acked(16)) * 8 / 14.0}]
    puts [format "rates %.0f %.0f" $alone $crossed]
    exit 0
}
$ns run
