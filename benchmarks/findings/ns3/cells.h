// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Networks and stations beside those under study.

#pragma once

#include "../../accuracy/ns3/options.h"
#include "../../accuracy/ns3/radio.h"
#include "causes.h"
#include "paths.h"

#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

inline void
Stand(NodeContainer nodes, const std::vector<Vector>& places)
{
    auto list = CreateObject<ListPositionAllocator>();
    for (const auto& place : places)
    {
        list->Add(place);
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(list);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
}

inline YansWifiPhyHelper
RadioOn(Ptr<Channel> medium, const std::string& channel)
{
    YansWifiPhyHelper phy;
    phy.SetChannel(DynamicCast<YansWifiChannel>(medium));
    phy.Set("ChannelSettings", StringValue(channel));
    return phy;
}

/// Access points nearby; to the first belongs a station that sends to it where there is traffic.
inline NetDeviceContainer
Neighbours(const Options& options, const Causes& causes, Ptr<Channel> medium, NodeContainer nodes)
{
    std::vector<Vector> places;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        places.emplace_back(5 * std::cos(0.7 * i) + 1, 5 * std::sin(0.7 * i) + 2, 0);
    }
    Stand(nodes, places);
    auto phy = RadioOn(medium, options.channel);
    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options));
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(options.dataMode),
                                 "ControlMode",
                                 StringValue(options.controlMode),
                                 "NonUnicastMode",
                                 StringValue(causes.beaconMode));
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        bool station = causes.others > 0 && i == 1;
        WifiMacHelper mac;
        Ssid ssid("neighbour-" + std::to_string(station ? 0 : i));
        mac.SetType(station ? "ns3::StaWifiMac" : "ns3::ApWifiMac", "Ssid", SsidValue(ssid));
        devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
    }
    wifi.AssignStreams(devices, MAC_STREAMS + 500);
    return devices;
}

/// Another access point of the network under study, which begins to send beacons when the stations have joined.
inline NetDeviceContainer
Nearer(const Options& options, Ptr<Channel> medium, Ptr<Node> node, Vector place)
{
    Stand(node, {place});
    auto phy = RadioOn(medium, options.channel);
    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options));
    WifiMacHelper mac;
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(Ssid("accuracy")), "BeaconGeneration", BooleanValue(false));
    auto devices = wifi.Install(phy, mac, node);
    wifi.AssignStreams(devices, MAC_STREAMS + 700);
    auto access = DynamicCast<WifiNetDevice>(devices.Get(0))->GetMac();
    Simulator::Schedule(Seconds(0.9), [access] { access->SetAttribute("BeaconGeneration", BooleanValue(true)); });
    return devices;
}

/// Access points of a network of their own and, as the last node, a station that joins what it hears of it.
inline NetDeviceContainer
Joiner(const Options& options, const std::string& name, uint32_t missed, Ptr<Channel> medium, NodeContainer nodes)
{
    std::vector<Vector> places;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        places.emplace_back(4 + i, -3, 0);
    }
    Stand(nodes, places);
    auto phy = RadioOn(medium, options.channel);
    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options));
    SsidValue ssid{Ssid(name)};
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        WifiMacHelper mac;
        if (i + 1 < nodes.GetN())
        {
            mac.SetType("ns3::ApWifiMac", "Ssid", ssid);
        }
        else
        {
            mac.SetType("ns3::StaWifiMac", "Ssid", ssid, "MaxMissedBeacons", UintegerValue(missed));
        }
        devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
    }
    wifi.AssignStreams(devices, MAC_STREAMS + 800);
    return devices;
}

/// Two access points and a station that changes between them.
inline NetDeviceContainer
Roamer(const Options& options, const Causes& causes, Ptr<Channel> medium, NodeContainer nodes)
{
    auto devices = Joiner(options, "two cells", 3, medium, nodes);
    NodeContainer accessPoints(nodes.Get(0), nodes.Get(1));
    Weaken(medium, CreateObject<TurningPaths>(causes.roam, accessPoints, nodes.Get(2)));
    return devices;
}

/// The channels of a list.
inline std::vector<std::string>
Channels(const std::string& list)
{
    std::vector<std::string> channels;
    std::istringstream stream(list);
    for (std::string each; std::getline(stream, each, ';');)
    {
        channels.push_back(each);
    }
    return channels;
}

/// Access points that only send beacons, on other channels.
inline NetDeviceContainer
Elsewhere(const Options& options, const Causes& causes, Ptr<Channel> medium, NodeContainer nodes)
{
    std::vector<Vector> places;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        places.emplace_back(-5 - double(i), 4, 0);
    }
    Stand(nodes, places);
    auto channels = Channels(causes.hopping);
    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options));
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        WifiMacHelper mac;
        mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(Ssid("elsewhere-" + std::to_string(i))));
        devices.Add(wifi.Install(RadioOn(medium, channels[i % channels.size()]), mac, nodes.Get(i)));
    }
    wifi.AssignStreams(devices, MAC_STREAMS + 900);
    return devices;
}

} // namespace ns3
