// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// What a run of another kind of world is told.

#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

struct World
{
    std::string directory;
    bool saturate = false;
    uint32_t seed = 1;
    double seconds = 6;
    double begin = 1; // where the measured time begins, s

    std::string standard = "802.11g";
    std::string channel = "{1,20,BAND_2_4GHZ,0}"; // number, width, band, primary 20 MHz
    std::string mode = "ErpOfdmRate54Mbps";
    std::string otherMode; // of the neighbours, if it is another
    std::string control = "ErpOfdmRate6Mbps";
    std::string group;       // rate of group-addressed frames, if it is another than control
    std::string legacyStandard, legacyMode, legacyChannel; // of the last station of the BSS, if it is an older one
    uint32_t antennas = 1;                  // of every station, as many spatial streams
    uint32_t gi = 0;                        // guard interval, ns; 0: as usual
    std::string rateControl; // Minstrel, MinstrelHt, Ideal; empty: constant rates
    bool spectrum = false;   // PHYs that overlap in frequency, and OFDMA
    std::string loss = "friis"; // friis: in range up to 250 m; log: log-distance of exponent 3; nakagami: fading on it
    double power = 20;          // dBm
    double receiverPower = -100; // of node 1, dBm; -100: as the others
    double range = 250;          // m, of friis
    bool capture = false;        // a stronger frame is received though another began before it
    double slot = 0;             // us, of every station; 0: as usual
    double snifferAt = -1;       // m along the line of the link under study; -1: beside its access point
    double interferer = -200;    // dBm in 20 MHz, of something that is no Wi-Fi; -200: none
    double interfererPeriod = 0.02, interfererOn = 0.5; // s, and the share of it
    double interfererAt = 5;     // m
    double interfererWidth = 20, interfererCentre = 2412; // MHz

    std::string topology = "bss"; // bss: one access point; adhoc, mesh: pairs, of 802.11s; chain: a line of stations
    std::string direction = "up"; // of the link under study and its neighbours in the BSS; both: down, every other up;
                                  // against: up, the neighbours down
    std::string flows;            // besides: one after the other, separated by ';' (flows.h)
    std::string wired;            // round trip times to hosts behind the access point, ms, comma-separated
    std::string standards, modes, channels, powers; // of nodes 0, 1, ..., separated by ';', where they are others
    std::string positions;        // of nodes 0, 1, ...: x,y in m, separated by ';'
    std::string distances;        // of the stations of the BSS from its access point, m, comma-separated
    double spacing = 80;          // of the chain, m
    std::string routing;          // of the chain: aodv or olsr
    bool edge = false;            // the link under study is at the end of the chain, and none of the flows passes it
    double speed = 0;             // m/s, of the station of the link under study, away from the other end
    uint32_t links = 3;           // the one under study included
    uint32_t payload = 1472;
    double light = 50;      // packets per second on the link under study
    double background = 0;  // packets per second, all other links together
    std::string arrivals = "poisson"; // of the neighbours; constant, tcp; frames: 30 a second, of many packets each;
                                    // pages: thirty at once; slow: seconds of it and seconds of silence
    std::string lightArrivals = "poisson";
    std::string category = "BE"; // of the neighbours: BK, BE, VI, VO
    std::string lightCategory = "BE";
    bool mixed = false;          // the neighbours' packets are of 576 and 40 octets as well
    bool ownMixed = false;       // those of the link under study
    std::string congestion;      // control of TCP: TcpBbr, TcpVegas, ...; empty: TcpCubic
    uint32_t otherPayload = 1472;
    double lightFrom = 0, lightTo = 1e6; // when they send, s of the measured time
    double otherFrom = 0, otherTo = 1e6;
    double multicast = 0; // packets per second, from the access point or node 2
    uint32_t multicastPayload = 1300, multicastBurst = 1; // octets; packets at once, at equal intervals if several

    uint32_t outsiders = 0; // links of a BSS of their own
    std::string outsideChannel, outsideStandard, outsideMode;
    double outside = 0; // packets per second, all of them together
    double outsideAt = 30; // m
    bool outsideDown = false; // its access point sends
    std::string cells;        // of nodes 0, 1, ..., separated by ';': the name of the cell, with a * of its access point,
                              // where it is another
    double obssPd = 0;        // dBm up to which access points and their stations ignore other cells of 802.11ax; 0: none
    double nulls = 0;         // Null frames per second, of each station of the access point that is not in the link
    uint32_t scanners = 0;    // stations that ask for an access point of another name all the time
    uint32_t beacons = 0;  // access points that only send beacons
    uint32_t beaconUnits = 100; // their interval, TU

    int64_t txop = -1;      // us, of best effort; -1: as usual
    int64_t videoTxop = -1; // us, of video
    int32_t cwMin = -1, aifsn = -1; // of best effort in the BSS
    int32_t outsideCwMin = -1, outsideAifsn = -1;
    int32_t ampdu = -1, amsdu = -1; // octets of best effort
    std::string edca;               // of nodes 0, 1, ..., separated by ';': CWmin,AIFSN,TXOP in us of best effort that is theirs
                                    // whatever is announced
    int32_t ownAmpdu = -1;          // octets, of node 0 alone
    uint32_t retries = 0;           // attempts of a packet at most; 0: as usual
    std::string rtsBy;              // own: node 0 alone, others: all but it, ap: the access point, outside: the other
                                    // BSS; empty: all
    std::string shortPreamble;      // who has short preambles of DSSS: all, others (all but node 0)
    std::string protection;         // of ERP beside an older client: Rts-Cts, Cts-To-Self
    int32_t window = -1;            // MPDUs of a BlockAck window
    uint32_t fragment = 65535;
    bool rts = false;
    uint32_t rtsAbove = 65535; // octets of an MPDU from which on RTS go before it
    bool dlOfdma = false, ulOfdma = false;

    bool Bss() const
    {
        return topology == "bss";
    }

    bool Pairs() const
    {
        return topology == "adhoc" || topology == "mesh";
    }

    bool Down() const
    {
        return Bss() && direction != "up" && direction != "against";
    }

    uint32_t AccessPoint() const
    {
        return Down() ? 0 : 1;
    }

    uint32_t Own() const
    {
        return Pairs() ? 2 * links : topology == "chain" ? links : links + 1;
    }

    /// Stations that have an address: own ones, those of the other BSS behind its access point.
    uint32_t Stations() const
    {
        return Own() + (outsiders ? outsiders + 1 : 0);
    }

    /// The position in the line of a node of the chain: those of the link under study are in its middle.
    uint32_t InLine(uint32_t node) const
    {
        uint32_t first = edge ? 0 : (links - 2) / 2;
        return node < 2 ? first + node : node - 2 < first ? node - 2 : node;
    }
};

/// The entry of a node in a list that is separated by ';', empty where it has none.
inline std::string
EntryOf(const std::string& text, uint32_t node)
{
    std::istringstream stream(text);
    std::string word;
    for (uint32_t at = 0; at <= node; at++)
    {
        if (!std::getline(stream, word, ';'))
        {
            return "";
        }
    }
    return word;
}

inline std::vector<double>
Numbers(const std::string& text)
{
    std::vector<double> numbers;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');)
    {
        numbers.push_back(std::stod(word));
    }
    return numbers;
}
