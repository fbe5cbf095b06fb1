// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// The demonstration recording:  ns3_bss DIRECTORY
//
// An access point and three stations, heard by one sniffer that never transmits. Two stations stand at
// opposite edges and cannot hear one another until one of them walks in; the third speaks 802.11b only.

#include "ns3_truth.h"

#include "ns3/mobility-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;

namespace
{

enum Place
{
    ACCESS_POINT,
    WALKER,
    EDGE,
    OLD,
    SNIFFER,
};

constexpr double SECONDS = 12;
constexpr double WALK_START = 6;
constexpr double WALK_SPEED = -8; // m/s, towards the access point
constexpr double WALK_STOP = 10;

const std::vector<Vector> PLACES = {{0, 0, 0}, {38, 0, 0}, {-38, 0, 0}, {0, 20, 0}, {5, -5, 0}};

const std::vector<Flow> FLOWS = {
    {WALKER, ACCESS_POINT, 1472, 1200000, 1, 11, 5000},
    {ACCESS_POINT, EDGE, 1472, 1500000, 3, 8, 5001},
    {EDGE, ACCESS_POINT, 1472, 1000000, 5, 11, 5002},
    {OLD, ACCESS_POINT, 512, 250000, 2, 9, 5003},
    {ACCESS_POINT, OLD, 160, 64000, 6, 9, 5004},
    {WALKER, ACCESS_POINT, 160, 64000, 3, 6, 5005},
};

const char* PHY_JSON = R"("standard": "802.11g and 802.11b", "slot_us": 20, "sifs_us": 10, "cw_min": 15, )"
                       R"("cw_max": 1023, "signal_extension_us": 6, "rate_control": "Minstrel", )"
                       R"("rts_threshold_bytes": 1000, "ssid": "winf sample", "sniffer": 4)";

void
PlaceNodes(NodeContainer nodes)
{
    auto positions = CreateObject<ListPositionAllocator>();
    for (const Vector& place : PLACES)
    {
        positions->Add(place);
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(positions);
    mobility.SetMobilityModel("ns3::ConstantVelocityMobilityModel");
    mobility.Install(nodes);
    auto walker = nodes.Get(WALKER)->GetObject<ConstantVelocityMobilityModel>();
    Simulator::Schedule(Seconds(WALK_START), [=] { walker->SetVelocity({WALK_SPEED, 0, 0}); });
    Simulator::Schedule(Seconds(WALK_STOP), [=] { walker->SetVelocity({0, 0, 0}); });
}

/// One device per node, in node order.
NetDeviceContainer
MakeDevices(NodeContainer nodes)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel");
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());

    Ssid ssid("winf sample");
    WifiMacHelper accessPoint;
    accessPoint.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid));
    WifiMacHelper station;
    station.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid));
    WifiMacHelper sniffer;
    sniffer.SetType("ns3::AdhocWifiMac");

    WifiHelper wifi;
    wifi.SetRemoteStationManager("ns3::MinstrelWifiManager", "RtsCtsThreshold", UintegerValue(1000));
    NetDeviceContainer devices;
    auto install = [&](WifiStandard standard, const char* settings, const WifiMacHelper& mac, Place place) {
        wifi.SetStandard(standard);
        phy.Set("ChannelSettings", StringValue(settings));
        devices.Add(wifi.Install(phy, mac, nodes.Get(place)));
    };
    install(WIFI_STANDARD_80211g, "{1, 20, BAND_2_4GHZ, 0}", accessPoint, ACCESS_POINT);
    install(WIFI_STANDARD_80211g, "{1, 20, BAND_2_4GHZ, 0}", station, WALKER);
    install(WIFI_STANDARD_80211g, "{1, 20, BAND_2_4GHZ, 0}", station, EDGE);
    install(WIFI_STANDARD_80211b, "{1, 22, BAND_2_4GHZ, 0}", station, OLD);
    install(WIFI_STANDARD_80211g, "{1, 20, BAND_2_4GHZ, 0}", sniffer, SNIFFER);
    return devices;
}

void
Simulate(const std::string& directory)
{
    RngSeedManager::SetSeed(1);
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true)); // of IP and UDP; the FCS stays zero
    Config::SetDefault("ns3::PcapFileWrapper::CaptureSize", UintegerValue(128));

    NodeContainer nodes(PLACES.size());
    PlaceNodes(nodes);
    NetDeviceContainer devices = MakeDevices(nodes);
    NodeContainer members(nodes.Get(ACCESS_POINT), nodes.Get(WALKER), nodes.Get(EDGE), nodes.Get(OLD));
    InternetStackHelper().Install(members);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    for (uint32_t i = 0; i < members.GetN(); i++)
    {
        addresses.Assign(devices.Get(i));
    }

    Truth truth(PHY_JSON);
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        truth.Watch(devices.Get(i));
    }
    for (const Flow& flow : FLOWS)
    {
        truth.Install(flow);
    }
    YansWifiPhyHelper recorder;
    recorder.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    recorder.EnablePcap(directory + "/recording/sniffer.pcap", devices.Get(SNIFFER), false, true);

    Simulator::Stop(Seconds(SECONDS));
    Simulator::Run();
    truth.Write(directory, "sniffer", SECONDS);
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc != 2)
    {
        std::cerr << "usage: ns3_bss DIRECTORY\n";
        return 2;
    }
    Simulate(argv[1]);
    return 0;
}
