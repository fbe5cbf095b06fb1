// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// What ns-3 itself knows about a run: every transmission, who received it, and the goodput.

#pragma once

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/wifi-module.h"

#include <map>
#include <set>
#include <string>
#include <vector>

/// One flow of constant-rate UDP packets, declared in seconds, bytes and bit/s.
struct Flow
{
    uint32_t from;
    uint32_t to;
    uint32_t payloadBytes;
    uint64_t rateBps;
    double start;
    double stop;
    uint16_t port;
};

/// Records a run and writes `truth_transmissions.csv`, `truth_goodput.csv` and `setup.json`.
class Truth
{
  public:
    /// Facts about the PHY that only the scenario knows, as JSON members without braces.
    explicit Truth(std::string phyJson);

    /// Listens to the transmitter and the receiver of a device.
    void Watch(ns3::Ptr<ns3::NetDevice> device);

    /// Installs the flow's source and sink and measures what arrives.
    void Install(const Flow& flow);

    /// Writes the three files into a directory that exists. The run must be over.
    void Write(const std::string& directory, const std::string& scenario, double seconds) const;

  private:
    struct Transmission
    {
        uint32_t node;
        ns3::Time start;
        ns3::Time duration;
        std::string kind;
        uint32_t lengthBytes;
        uint32_t mpdus;
        double rateMbps;
        bool retry;
        std::string receiver;
        std::set<uint32_t> receivedOk;
        std::set<uint32_t> receivedBad;
    };

    void OnState(uint32_t node, ns3::Time start, ns3::Time duration, WifiPhyState state);
    void OnTransmit(uint32_t node, ns3::WifiConstPsduMap psdus, ns3::WifiTxVector vector, double watts);
    void OnRxOk(uint32_t node,
                ns3::Ptr<const ns3::Packet> packet,
                double snr,
                ns3::WifiMode mode,
                ns3::WifiPreamble preamble);
    void OnRxError(uint32_t node, ns3::Ptr<const ns3::Packet> packet, double snr);
    void OnDelivery(std::string flow, ns3::Ptr<const ns3::Packet> packet, const ns3::Address& from);
    std::string NodeWith(ns3::Mac48Address address) const;
    Transmission& JustEnded(uint32_t receiver, uint32_t bytes);

    void WriteTransmissions(const std::string& path) const;
    void WriteGoodput(const std::string& path, double seconds) const;
    void WriteSetup(const std::string& path, const std::string& scenario, double seconds) const;

    std::string m_phyJson;
    std::vector<ns3::Ptr<ns3::NetDevice>> m_devices;
    std::vector<ns3::Vector> m_startPlaces;
    std::vector<Flow> m_flows;
    std::vector<Transmission> m_transmissions;
    std::map<std::pair<uint32_t, ns3::Time>, ns3::Time> m_durations;
    std::map<std::string, std::map<int64_t, uint64_t>> m_delivered;
};
