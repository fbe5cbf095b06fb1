# SPDX-License-Identifier: Apache-2.0
#
# A world of a kind that ns2_scenario.tcl has not:  ns ns2_world.tcl DIRECTORY OPTION VALUE ...
#
# Stations in a line, as ns-2 is mostly used: 250 m in range and 550 m to sense, AODV, flows over several hops. Node
# `sender` sends light traffic to the next one; that link is filled with saturate 1. Writes DIRECTORY/recording.tr and
# DIRECTORY/goodput.csv as there.

array set option {
    nodes 5 spacing 200 routing AODV sender 0 dataMode 2.0e6 basicMode 1.0e6 payload 1000 saturate 0 rts 0
    light 10 flow cbr background 0 from 0 to -1 carrierSense 1.559e-11 capture 10.0 seconds 5 seed 1
    cwMin 31 slot 0.000020 sifs 0.000010 preamble 144 columns 0
}
set directory [lindex $argv 0]
array set option [lrange $argv 1 end]
if {$option(to) < 0} { set option(to) [expr {$option(nodes) - 1}] }

set first 0.6
set bin 0.1
set headers 36
set bytes [expr {$option(payload) + $headers}]

Mac/802_11 set SlotTime_ $option(slot)
Mac/802_11 set SIFS_ $option(sifs)
Mac/802_11 set CWMin_ $option(cwMin)
Mac/802_11 set CWMax_ 1023
Mac/802_11 set PreambleLength_ $option(preamble)
Mac/802_11 set PLCPHeaderLength_ 48
Mac/802_11 set PLCPDataRate_ 1.0e6
Mac/802_11 set basicRate_ $option(basicMode)
Mac/802_11 set dataRate_ $option(dataMode)
Mac/802_11 set ShortRetryLimit_ 7
Mac/802_11 set LongRetryLimit_ 4
Mac/802_11 set RTSThreshold_ [expr {$option(rts) ? 0 : 3000}]
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ $option(carrierSense)
Phy/WirelessPhy set CPThresh_ $option(capture)

ns-random $option(seed)
set ns [new Simulator]
set trace [open [expr {$option(saturate) ? "/dev/null" : "$directory/recording.tr"}] w]
$ns trace-all $trace
set topography [new Topography]
$topography load_flatgrid 3000 3000
create-god $option(nodes)
$ns node-config -adhocRouting $option(routing) -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue \
    -ifqLen 50 -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace ON -routerTrace ON -macTrace ON -movementTrace OFF
for {set number 0} {$number < $option(nodes)} {incr number} {
    set node($number) [$ns node]
    $node($number) random-motion 0
    set column [expr {$option(columns) ? $number % $option(columns) : $number}]
    set row [expr {$option(columns) ? $number / $option(columns) : 0}]
    $node($number) set X_ [expr {100 + $option(spacing) * $column}]
    $node($number) set Y_ [expr {500 + $option(spacing) * $row}]
    $node($number) set Z_ 0
}

source [file join [file dirname [info script]] .. ns2_flows.tcl]
proc connection {from to} {
    global ns node bytes first
    set tcp [new Agent/TCP/Newreno]
    $tcp set packetSize_ [expr {$bytes - 40}]
    $tcp set window_ 32
    set end [new Agent/TCPSink]
    $ns attach-agent $node($from) $tcp
    $ns attach-agent $node($to) $end
    $ns connect $tcp $end
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [expr {$first - 0.3}] "$ftp start"
}

set receiver [expr {$option(sender) + 1}]
flow light $option(sender) $receiver $option(light) poisson
if {$option(flow) eq "tcp"} {
    connection $option(from) $option(to)
} elseif {$option(background) > 0} {
    flow background1 $option(from) $option(to) $option(background) poisson
}
if {$option(saturate)} {
    flow saturating $option(sender) $receiver [expr {1.3 * $option(dataMode) / 8.0 / $bytes}] constant
}

measure $directory
$ns run
