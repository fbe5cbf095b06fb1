# Nodes that run DSDV in ns-2, and what they send; sourced by dsdv_ns2.tcl, dsdv_mesh_ns2.tcl, dsdv_times_ns2.tcl and
# loads_ns2.tcl.

# The first numbers of neighbouring seeds are alike: with seeds 1 to 20 the first node would always be the first to send
# an update, within 22 ms of the start. Numbers further on are not.
proc spread_seed {seed} {
    ns-random $seed
    for {set i 0} {$i < 1000} {incr i} {
        ns-random
    }
}

# `places`: x and y of each node, m; 250 m are decoded, `sensed_m` sensed; packets of more than `rts_bytes` have an RTS.
# The trace goes to `target`, that of agents besides with the events of `traced`, routers or MACs.
proc dsdv_nodes {places sensed_m rts_bytes traced target} {
    global ns node
    # Two-ray ground with the default 24.5 dBm: what is left at 250 m, 500 m and 550 m.
    array set threshold {250 3.652e-10 500 2.2825e-11 550 1.559e-11}
    Phy/WirelessPhy set Pt_ 0.28183815
    Phy/WirelessPhy set RXThresh_ $threshold(250)
    Phy/WirelessPhy set CSThresh_ $threshold($sensed_m)
    Phy/WirelessPhy set CPThresh_ 10.0
    Mac/802_11 set RTSThreshold_ $rts_bytes
    Mac/802_11 set dataRate_ 11e6
    Mac/802_11 set basicRate_ 1e6
    Mac/802_11 set PLCPDataRate_ 1e6

    set ns [new Simulator]
    $ns trace-all [open $target w]
    set topography [new Topography]
    $topography load_flatgrid 10000 10000
    create-god [llength $places]
    $ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
        -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
        -channel [new Channel/WirelessChannel] -topoInstance $topography \
        -agentTrace ON -routerTrace [expr {$traced eq "routers" ? "ON" : "OFF"}] \
        -macTrace [expr {$traced eq "macs" ? "ON" : "OFF"}] -movementTrace OFF
    set i 0
    foreach place $places {
        set node($i) [$ns node]
        $node($i) random-motion 0
        $node($i) set X_ [lindex $place 0]
        $node($i) set Y_ [lindex $place 1]
        $node($i) set Z_ 0
        incr i
    }
}

proc stream {from to bytes kbps start end} {
    global ns node
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
    $ns at $end "$cbr stop"
}

# As fast as ns-2 lets nodes move: it is there at once.
proc move {which at place} {
    global ns node
    $ns at $at "$node($which) setdest [lindex $place 0] [lindex $place 1] 1000000"
}

proc run_until {end} {
    global ns
    $ns at $end "$ns flush-trace; exit 0"
    $ns run
}
