// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Causes of trouble, each an option of findings.

#pragma once

#include <cstdint>
#include <string>

struct Causes
{
    uint32_t networks = 0;                   // access points nearby that only send beacons
    std::string beaconMode = "DsssRate1Mbps"; // at which they do
    double others = 0;                       // packets per second in another network on the channel
    bool aggregation = true;                 // A-MPDUs
    double far = 0;                          // dB more between the access point and the first other station
    double outage = 0;                       // part of each second in which that path carries nothing
    uint32_t queue = 0;                      // packets that a station's queue holds; 0: ns-3's default
    double roam = 0;                         // s after which a station loses its access point; 0: none roams
    double nearer = 0;                       // dB that another access point of the network is stronger
    double nulls = 0;                        // null frames per second of stations that fall asleep and wake up
    std::string nullMode = "DsssRate1Mbps";  // at which they are sent
    uint32_t sleepers = 4;                   // stations that send them
    double oven = 0;                         // part of each 20 ms in which a source of noise is on
    std::string urgent;                      // access category of the first other station's TCP flow
    std::string patient;                     // access category of the other TCP flows
    double lossy = 0;                        // chance that a data frame of the first other station is lost
    double expelled = 0;                     // s after which a station is thrown out again; 0: none is
    std::string radar;                       // channel to which the network moves in the middle of the run
    uint32_t elsewhere = 0;                  // access points on each of the channels of `hopping`
    std::string hopping;                     // other channels, "{6,20,BAND_2_4GHZ,0};..."
    double hop = 0;                          // s that the recorder stays on a channel; 0: it does not leave its own
    double leaving = 0;                      // dB by which the paths of the first other station weaken in the run
    std::string category;                    // access category of the other links' datagrams
    double wire = -1;                        // chance that a packet is lost on a wire behind the access point, at
                                             // whose end the other ends of TCP flows are; negative: no wire
    bool wmm = false;                        // EDCA in a network that would have DCF
    int32_t greedyCw = -1;                   // CWmin of the first other station; negative: what is announced
    uint32_t greedyAifsn = 0;                // its AIFSN; 0: what is announced
    uint32_t greedyTxop = 0;                 // its TXOP limit, us, a multiple of 32; 0: what is announced
    bool greedyAccess = false;               // these are the access point's, not the station's
};
