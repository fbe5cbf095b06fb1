# SPDX-License-Identifier: Apache-2.0
#
# One run of the accuracy study in ns-2:  ns ns2_scenario.tcl DIRECTORY OPTION VALUE ...
#
# As ns3/scenario.cc: node 0 sends light Poisson traffic to node 1, the other links carry the
# background, at backgroundRate if that is given. Of the frames that reach node 1 the share loss is
# broken. Writes DIRECTORY/recording.tr (classic trace of agents and MACs) or, with saturate 1,
# keeps the queue of node 0 filled and traces nothing. Both write DIRECTORY/goodput.csv (octets
# delivered per 100 ms and flow).

array set option {
    topology adhoc dataMode 11.0e6 links 1 payload 1472 rts 0 constant 0 saturate 0
    light 10 background 0 seconds 5 seed 1 loss 0 backgroundRate 0
}
set directory [lindex $argv 0]
array set option [lrange $argv 1 end]

set first 0.6     ;# start of the traffic, s
set bin 0.1       ;# of goodput.csv, s
set headers 36    ;# LLC, IP and UDP, as an MSDU has them beside the payload
set bytes [expr {$option(payload) + $headers}]

# IEEE 802.11b as ns-2 calls it: long preamble, 1 Mb/s for control and broadcast.
Mac/802_11 set SlotTime_ 0.000020
Mac/802_11 set SIFS_ 0.000010
Mac/802_11 set CWMin_ 31
Mac/802_11 set CWMax_ 1023
Mac/802_11 set PreambleLength_ 144
Mac/802_11 set PLCPHeaderLength_ 48
Mac/802_11 set PLCPDataRate_ 1.0e6
Mac/802_11 set basicRate_ 1.0e6
Mac/802_11 set dataRate_ $option(dataMode)
Mac/802_11 set ShortRetryLimit_ 7
Mac/802_11 set LongRetryLimit_ 4
Mac/802_11 set RTSThreshold_ [expr {$option(rts) ? 0 : 3000}]

# Two-ray ground at the default 24.5 dBm reaches 250 m, and sensing no further.
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 3.652e-10
Phy/WirelessPhy set CPThresh_ 10.0
Phy/WirelessPhy set bandwidth_ 11e6

# Who sends to whom, and from where.
set links {}
for {set i 0} {$i < $option(links)} {incr i} {
    set angle [expr {6.283185307 * $i / $option(links)}]
    if {$option(topology) eq "hidden"} {
        set from [expr {$i == 0 ? 0 : $i + 1}]
        set to 1
        set at($from) [list [expr {$i == 0 ? 50 : 450}] [expr {250 + 5.0 * $i}]]
        set at($to) {250 250}
    } else {
        set from [expr {2 * $i}]
        set to [expr {2 * $i + 1}]
        set at($from) [list [expr {250 + 15 * cos($angle)}] [expr {250 + 15 * sin($angle)}]]
        set at($to) [list [expr {250 + 25 * cos($angle + 0.2)}] [expr {250 + 25 * sin($angle + 0.2)}]]
    }
    lappend links [list $from $to]
}

ns-random $option(seed)
set ns [new Simulator]
set trace [open [expr {$option(saturate) ? "/dev/null" : "$directory/recording.tr"}] w]
$ns trace-all $trace
set topography [new Topography]
$topography load_flatgrid 500 500
create-god [array size at]
$ns node-config -adhocRouting DumbAgent -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace ON -routerTrace OFF -macTrace ON -movementTrace OFF
# Breaks a share of the frames. An error model stays for the nodes that follow, so that these need one that breaks none.
proc errors {share} {
    set model [new ErrorModel]
    $model unit pkt
    $model set rate_ $share
    $model ranvar [new RandomVariable/Uniform]
    return $model
}
proc broken {} { global option; return [errors $option(loss)] }
proc intact {} { return [errors 0] }
for {set number 0} {$number < [array size at]} {incr number} {
    if {$option(loss) > 0} { $ns node-config -IncomingErrProc [expr {$number == 1 ? "broken" : "intact"}] }
    if {$number > 1 && $option(backgroundRate) > 0} { Mac/802_11 set dataRate_ $option(backgroundRate) }
    set node($number) [$ns node]
    $node($number) random-motion 0
    $node($number) set X_ [lindex $at($number) 0]
    $node($number) set Y_ [lindex $at($number) 1]
    $node($number) set Z_ 0
}

source [file join [file dirname [info script]] ns2_flows.tcl]
set kind [expr {$option(constant) ? "constant" : "poisson"}]
flow light 0 1 $option(light) poisson
for {set i 1} {$i < $option(links)} {incr i} {
    lassign [lindex $links $i] from to
    if {$option(background) > 0} {
        flow background$i $from $to [expr {$option(background) / ($option(links) - 1)}] $kind
    }
}
if {$option(saturate)} {
    # More than the link carries; what the queue drops of the light flow is accounted for by whoever reads.
    flow saturating 0 1 [expr {1.3 * $option(dataMode) / 8.0 / $bytes}] constant
}

measure $directory
$ns run
