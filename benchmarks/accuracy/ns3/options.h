// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// What a run of the accuracy study is told, and who sends to whom.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

struct Options
{
    std::string directory;
    std::string standard = "802.11g";
    std::string topology = "adhoc"; // adhoc: pairs in range; bss: one access point; hidden
    std::string channel = "{1,20,BAND_2_4GHZ,0}"; // number, width, band, primary 20 MHz
    std::string dataMode = "ErpOfdmRate54Mbps";
    std::string backgroundMode; // of the other links, if it is another
    std::string controlMode = "ErpOfdmRate6Mbps";
    std::string rateControl;           // Minstrel or MinstrelHt; empty: constant rates
    std::string arrivals = "poisson";  // of the background: poisson, constant, bursty, tcp, mixed
    std::string probe = "udp";         // what fills the link: udp or tcp
    std::string direction = "up";      // of the link under study, where there is an access point
    std::string backgroundDirection = "up"; // of the other links: up, down, both
    std::string category;              // access category of the link under study; empty: no QoS of its own
    std::string backgroundCategories;  // of the other links, in turn, comma-separated
    std::string sniffer;               // near, far, edge; empty: the sender records
    double snifferAttenuation = 0;     // dB, besides fading, on the way to the sniffer
    double attenuation = 0;            // dB on every path
    double fading = 0;                 // standard deviation per frame on every path, dB
    bool rts = false;
    bool saturate = false;
    uint32_t links = 1;      // the one under study included
    uint32_t payload = 1472; // bytes of UDP payload
    uint32_t backgroundPayload = 1472;
    double light = 10;      // packets per second on the link under study
    double background = 0;  // packets per second, all other links together
    double loss = 0;        // chance that a data frame of the link under study is lost
    double seconds = 6;
    uint32_t seed = 1;

    bool Bss() const
    {
        return topology == "bss";
    }

    bool AtAccessPoint() const
    {
        return Bss() && direction == "down";
    }

    /// The access point of a BSS: the receiver of the link under study, or its sender.
    uint32_t AccessPoint() const
    {
        return AtAccessPoint() ? 0 : 1;
    }

    uint32_t Stations() const
    {
        return topology == "adhoc" ? 2 * links : links + 1;
    }
};

/// Who sends to whom. Link 0 is the one under study, from node 0 to node 1.
inline std::vector<std::pair<uint32_t, uint32_t>>
LinksOf(const Options& options)
{
    std::vector<std::pair<uint32_t, uint32_t>> links = {{0, 1}};
    for (uint32_t i = 1; i < options.links; i++)
    {
        if (options.topology == "adhoc")
        {
            links.emplace_back(2 * i, 2 * i + 1);
            continue;
        }
        auto up = std::make_pair(i + 1, options.AccessPoint());
        bool down = options.backgroundDirection == "down" || (options.backgroundDirection == "both" && i % 2 == 0);
        links.push_back(down ? std::make_pair(up.second, up.first) : up);
    }
    return links;
}
