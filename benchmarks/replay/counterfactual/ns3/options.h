// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// What one run is asked for on the command line.

#pragma once

#include "ns3/core-module.h"

#include <string>

struct Options
{
    std::string shape = "chain1";
    /// Standard, as in "802.11b".
    std::string phy = "802.11b";
    /// Data modes of the stations, separated by commas; the last is that of all further ones. "minstrel": rate control.
    std::string modes = "DsssRate11Mbps";
    std::string controlMode = "DsssRate1Mbps";
    std::string controller = "TcpNewReno";
    std::string directory = ".";
    /// Who records: nobody, every node, or a monitor in the middle.
    std::string record = "nobody";
    uint32_t flows = 1;
    /// TCP flows left out, from the last on.
    uint32_t without = 0;
    uint32_t udpKbps = 0;
    uint32_t queuePackets = 50;
    uint32_t segmentsPerAck = 2;
    uint32_t wireMs = 0;
    /// So many TCP flows, the first ones, are of applications that pause.
    uint32_t pausing = 0;
    /// Of the TCP flows, separated by commas; the last is that of all further ones.
    std::string segmentBytes = "1000";
    uint32_t udpBytes = 1000;
    /// The last TCP flow, with all of them counted, begins so much later.
    double laterS = 0;
    uint32_t seed = 1;
    double seconds = 30;
    /// Between neighbours of chains and grids.
    double spacingM = 200;
    double loss = 0;
    bool rts = false;
    bool cross = false;
    bool defaults = false;

    Options(int argc, char* argv[])
    {
        ns3::CommandLine line;
        line.AddValue("shape", "where nodes stand and flows go", shape);
        line.AddValue("phy", "standard", phy);
        line.AddValue("modes", "data modes by station, or minstrel", modes);
        line.AddValue("control-mode", "mode of control frames", controlMode);
        line.AddValue("controller", "congestion control", controller);
        line.AddValue("directory", "where truth.csv and recording/ go", directory);
        line.AddValue("record", "nobody, every_node or sniffer", record);
        line.AddValue("flows", "TCP flows", flows);
        line.AddValue("without", "TCP flows left out, the last first", without);
        line.AddValue("udp-kbps", "UDP beside them", udpKbps);
        line.AddValue("queue-packets", "length of the MAC's queue", queuePackets);
        line.AddValue("segments-per-ack", "segments that an acknowledgement waits for", segmentsPerAck);
        line.AddValue("wire-ms", "delay of a wire behind the first node", wireMs);
        line.AddValue("pausing", "TCP flows whose applications pause, from the first on", pausing);
        line.AddValue("segment-bytes", "segments of TCP, by flow", segmentBytes);
        line.AddValue("udp-bytes", "payload of UDP beside them", udpBytes);
        line.AddValue("later-s", "by how much the last TCP flow begins later", laterS);
        line.AddValue("spacing-m", "between neighbours of chains and grids", spacingM);
        line.AddValue("seed", "run number", seed);
        line.AddValue("seconds", "length", seconds);
        line.AddValue("loss", "share of data frames that are lost", loss);
        line.AddValue("rts", "RTS before data", rts);
        line.AddValue("cross", "two more stations with UDP", cross);
        line.AddValue("defaults", "ns-3's defaults of propagation, queue discipline and time stamps", defaults);
        line.Parse(argc, argv);
    }
};
