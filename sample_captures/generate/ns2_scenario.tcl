# SPDX-License-Identifier: Apache-2.0
#
# One ns-2 sample:  ns ns2_scenario.tcl SCENARIO DIRECTORY
#
# SCENARIO is rts_link, basic_link, hidden or chain3. Written into DIRECTORY:
#   recording/SCENARIO.tr  the recording: the classic wireless trace, agent, router and MAC events
#   ends.tr                the simulator's own end of every transmission ("x" events)
#   setup.json             nodes, flows and PHY parameters

lassign $argv scenario directory

# IEEE 802.11b as ns-2 calls it: long preamble, 11 Mb/s data, 1 Mb/s for control and broadcast.
Mac/802_11 set SlotTime_ 0.000020
Mac/802_11 set SIFS_ 0.000010
Mac/802_11 set CWMin_ 31
Mac/802_11 set CWMax_ 1023
Mac/802_11 set PreambleLength_ 144
Mac/802_11 set PLCPHeaderLength_ 48
Mac/802_11 set PLCPDataRate_ 1.0e6
Mac/802_11 set basicRate_ 1.0e6
Mac/802_11 set dataRate_ 11.0e6
Mac/802_11 set ShortRetryLimit_ 7
Mac/802_11 set LongRetryLimit_ 4

# Two-ray ground at the default 24.5 dBm reaches 250 m. Sensing reaches no further, so that
# whoever is two hops away is hidden.
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 3.652e-10
Phy/WirelessPhy set CPThresh_ 10.0
Phy/WirelessPhy set bandwidth_ 11e6

# Per scenario: node x positions (m), RTS threshold (bytes), routing, CBR packet size (bytes; an IP
# packet of 1500: AODV adds the 20-byte header, DumbAgent does not), end (s), and the flows
# {from to rate_bps start stop}.
set always 0
set never 3000
set link {{0 1 2.0e6 0.1 1.5} {2 3 1.5e6 0.5 1.1}}
switch $scenario {
    rts_link {
        set place {0 50 100 150}; set rts $always; set routing DumbAgent; set bytes 1500; set end 1.6
        set flows $link
    }
    basic_link {
        set place {0 50 100 150}; set rts $never; set routing DumbAgent; set bytes 1500; set end 1.6
        set flows $link
    }
    hidden {
        set place {0 200 400}; set rts $always; set routing DumbAgent; set bytes 1500; set end 1.15
        set flows {{0 1 2.5e6 0.1 1.0} {2 1 2.5e6 0.2 1.0}}
    }
    chain3 {
        set place {0 200 400 600}; set rts $always; set routing AODV; set bytes 1480; set end 1.6
        set flows {{0 3 0.8e6 0.1 1.5}}
    }
    default { puts stderr "unknown scenario: $scenario"; exit 2 }
}
Mac/802_11 set RTSThreshold_ $rts

ns-random 1
set ns [new Simulator]
set trace [open $directory/recording/$scenario.tr w]
set endTrace [open $directory/ends.tr w]
$ns trace-all $trace

set topography [new Topography]
$topography load_flatgrid 1000 100
create-god [llength $place]
$ns node-config -adhocRouting $routing -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace ON -routerTrace ON -macTrace ON -movementTrace OFF

set number 0
foreach x $place {
    set node($number) [$ns node]
    $node($number) random-motion 0
    $node($number) set X_ $x
    $node($number) set Y_ 50
    $node($number) set Z_ 0

    # The MAC calls this target when its transmitter falls silent.
    set ended [new CMUTrace/EOT "MAC"]
    $ended target [$ns set nullAgent_]
    $ended attach $endTrace
    $ended set src_ $number
    $ended node $node($number)
    [$node($number) set mac_(0)] eot-target $ended
    incr number
}

set declared {}
foreach flow $flows {
    lassign $flow from to rate start stop
    set source [new Agent/UDP]
    $source set packetSize_ $bytes ;# larger packets would be split
    set sink [new Agent/Null]
    $ns attach-agent $node($from) $source
    $ns attach-agent $node($to) $sink
    $ns connect $source $sink
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $bytes
    $cbr set rate_ $rate
    $cbr set random_ 1
    $cbr attach-agent $source
    $ns at $start "$cbr start"
    $ns at $stop "$cbr stop"

    # A flow is named by its ends, the lower first.
    set ends [lsort "node-$from:[$source set agent_port_] node-$to:[$sink set agent_port_]"]
    lappend declared "{\"flow\": \"cbr $ends\", \"from\": $from, \"to\": $to, \"payload_bytes\": $bytes,\
        \"rate_bps\": [expr {int($rate)}], \"start_s\": $start, \"stop_s\": $stop}"
}

set stations {}
for {set i 0} {$i < $number} {incr i} {
    set hears {}
    for {set j 0} {$j < $number} {incr j} {
        if {$i != $j && abs([lindex $place $i] - [lindex $place $j]) <= 250} { lappend hears $j }
    }
    lappend stations "{\"node\": $i, \"address\": \"node-$i\", \"position_m\": \[[lindex $place $i], 50\],\
        \"hears\": \[[join $hears {, }]\]}"
}
set setup [open $directory/setup.json w]
puts $setup "{\"simulator\": \"ns-2.35\", \"scenario\": \"$scenario\", \"duration_s\": $end,\
    \"phy\": {\"standard\": \"802.11b\", \"slot_us\": 20, \"sifs_us\": 10, \"cw_min\": 31, \"cw_max\": 1023,\
    \"preamble\": \"long\", \"data_rate_mbps\": 11, \"control_rate_mbps\": 1, \"ack_rate_mbps\": 1,\
    \"rts_threshold_bytes\": $rts, \"routing\": \"$routing\"},\
    \"nodes\": \[[join $stations {, }]\], \"flows\": \[[join $declared {, }]\]}"
close $setup

$ns at $end "finish"
proc finish {} {
    global ns trace endTrace
    $ns flush-trace
    close $trace
    close $endTrace
    exit 0
}
$ns run
