// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Where the stations are, and how their radios are set.

#pragma once

#include "options.h"

#include "ns3/core-module.h"
#include "ns3/mesh-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/spectrum-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <map>

namespace ns3
{

constexpr int64_t MAC_STREAMS = 2000, FADING_STREAMS = 4000, MESH_STREAMS = 20000;

/// Own stations, those of the other BSS, access points that send beacons alone, stations that scan, and the sniffer, in this order.
inline void
Place(const World& world, NodeContainer nodes)
{
    auto distances = Numbers(world.distances);
    for (uint32_t node = 0; node < nodes.GetN(); node++)
    {
        Vector at(3, 3, 0);
        Vector velocity(0, 0, 0);
        double angle = 2 * M_PI * node / nodes.GetN();
        if (world.topology == "chain" && node < world.Own())
        {
            at = Vector(world.spacing * world.InLine(node), 0, 0);
        }
        else if (world.Pairs() && node < world.Own())
        {
            double radius = node % 2 ? 25 : 15;
            double turned = 2 * M_PI * (node / 2) / world.links + (node % 2 ? 0.2 : 0);
            at = Vector(radius * std::cos(turned), radius * std::sin(turned), 0);
        }
        else if (node < world.Own())
        {
            uint32_t station = node < 2 ? 0 : node - 1;
            double distance = station < distances.size() ? distances[station] : 10;
            bool access = node == world.AccessPoint();
            at = access ? Vector(0, 0, 0) : Vector(distance * std::cos(angle), distance * std::sin(angle), 0);
            if (node < 2 && !access)
            {
                velocity = Vector(world.speed, 0, 0);
                at = Vector(distance, 0, 0);
            }
        }
        else if (node < world.Stations())
        {
            double around = node == world.Own() ? 0 : 8;
            at = Vector(world.outsideAt + around * std::cos(angle), around * std::sin(angle), 0);
        }
        else if (node + 1 < nodes.GetN())
        {
            at = Vector(20 * std::cos(angle), 20 * std::sin(angle), 0);
        }
        else if (world.topology == "chain")
        {
            at = Vector(world.spacing * (world.InLine(0) + 0.5), 5, 0);
        }
        if (node + 1 == nodes.GetN() && world.snifferAt >= 0)
        {
            at = Vector(world.snifferAt, 3, 0);
        }
        auto given = Numbers(EntryOf(world.positions, node));
        if (given.size() == 2)
        {
            at = Vector(given[0], given[1], 0);
        }
        auto mobility = CreateObject<ConstantVelocityMobilityModel>();
        mobility->SetPosition(at);
        mobility->SetVelocity(velocity);
        nodes.Get(node)->AggregateObject(mobility);
    }
}

inline WifiStandard
StandardOf(const std::string& name)
{
    const std::map<std::string, WifiStandard> standards = {{"802.11a", WIFI_STANDARD_80211a},
                                                           {"802.11b", WIFI_STANDARD_80211b},
                                                           {"802.11g", WIFI_STANDARD_80211g},
                                                           {"802.11p", WIFI_STANDARD_80211p},
                                                           {"802.11n", WIFI_STANDARD_80211n},
                                                           {"802.11ac", WIFI_STANDARD_80211ac},
                                                           {"802.11ax", WIFI_STANDARD_80211ax},
                                                           {"802.11be", WIFI_STANDARD_80211be}};
    return standards.at(name);
}

inline Ptr<PropagationLossModel>
LossOf(const World& world)
{
    if (world.loss == "friis")
    {
        auto friis = CreateObjectWithAttributes<FriisPropagationLossModel>("Frequency", DoubleValue(2.412e9));
        friis->SetNext(CreateObjectWithAttributes<RangePropagationLossModel>("MaxRange", DoubleValue(world.range)));
        return friis;
    }
    auto loss = CreateObjectWithAttributes<LogDistancePropagationLossModel>("Exponent", DoubleValue(3));
    if (world.loss == "nakagami")
    {
        auto fading = CreateObject<NakagamiPropagationLossModel>();
        fading->AssignStreams(FADING_STREAMS);
        loss->SetNext(fading);
    }
    return loss;
}

inline void
SetRates(WifiHelper& wifi, const World& world, const std::string& mode, uint32_t node)
{
    bool asks = world.rtsBy.empty() || (world.rtsBy == "ap"        ? node == world.AccessPoint()
                                        : world.rtsBy == "outside" ? node >= world.Own()
                                                                   : (world.rtsBy == "own") == (node == 0));
    std::string group = world.group.empty() ? world.control : world.group;
    UintegerValue threshold(!asks ? 65535 : world.rts ? 0 : world.rtsAbove);
    UintegerValue fragment(world.fragment);
    if (!world.rateControl.empty())
    {
        wifi.SetRemoteStationManager("ns3::" + world.rateControl + "WifiManager",
                                     "RtsCtsThreshold", threshold,
                                     "FragmentationThreshold", fragment,
                                     "NonUnicastMode", StringValue(group));
        return;
    }
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue(mode),
                                 "ControlMode", StringValue(world.control),
                                 "NonUnicastMode", StringValue(group),
                                 "RtsCtsThreshold", threshold,
                                 "FragmentationThreshold", fragment);
}

/// What best effort of a device is set to, in place of what is usual.
inline void
SetContention(Ptr<WifiNetDevice> device, const World& world, bool outside, uint32_t node)
{
    if (world.slot > 0)
    {
        device->GetPhy()->SetSlot(NanoSeconds(std::lround(1000 * world.slot)));
    }
    if (node == 1 && world.receiverPower > -100)
    {
        device->GetPhy()->SetTxPowerStart(world.receiverPower);
        device->GetPhy()->SetTxPowerEnd(world.receiverPower);
    }
    if (auto power = EntryOf(world.powers, node); !power.empty())
    {
        device->GetPhy()->SetTxPowerStart(std::stod(power));
        device->GetPhy()->SetTxPowerEnd(std::stod(power));
    }
    auto manager = device->GetRemoteStationManager();
    if (world.retries > 0)
    {
        manager->SetMaxSsrc(world.retries);
        manager->SetMaxSlrc(world.retries);
    }
    if (!world.protection.empty())
    {
        manager->SetAttribute("ErpProtectionMode", StringValue(world.protection));
    }
    if (!world.shortPreamble.empty())
    {
        device->GetPhy()->SetShortPhyPreambleSupported(world.shortPreamble == "all" || node > 0);
    }
    if (world.videoTxop >= 0)
    {
        device->GetMac()->GetQosTxop(AC_VI)->SetTxopLimit(MicroSeconds(world.videoTxop));
    }
    auto mac = device->GetMac();
    Ptr<Txop> access = mac->GetQosSupported() ? Ptr<Txop>(mac->GetQosTxop(AC_BE)) : mac->GetTxop();
    int32_t cwMin = outside ? world.outsideCwMin : world.cwMin, aifsn = outside ? world.outsideAifsn : world.aifsn;
    if (cwMin >= 0)
    {
        access->SetMinCw(cwMin);
    }
    if (aifsn >= 0)
    {
        access->SetAifsn(aifsn);
    }
    if (world.txop >= 0)
    {
        access->SetTxopLimit(MicroSeconds(world.txop));
    }
    const std::map<std::string, int32_t> sizes = {{"BE_MaxAmpduSize", node == 0 && world.ownAmpdu >= 0 ? world.ownAmpdu : world.ampdu}, {"BE_MaxAmsduSize", world.amsdu}};
    for (const auto& [name, size] : sizes)
    {
        if (size >= 0)
        {
            mac->SetAttribute(name, UintegerValue(size));
        }
    }
    if (world.gi == 400)
    {
        device->GetHtConfiguration()->SetShortGuardIntervalSupported(true);
    }
    else if (world.gi > 0)
    {
        device->GetHeConfiguration()->SetGuardInterval(NanoSeconds(world.gi));
    }
    if (world.window > 0 && device->GetHeConfiguration())
    {
        device->GetHeConfiguration()->SetMpduBufferSize(world.window);
    }
}

/// What stations of their own mind use for best effort, once they have associated.
inline void
SetOwnMind(const World& world, NetDeviceContainer devices)
{
    for (uint32_t node = 0; node < devices.GetN(); node++)
    {
        auto values = Numbers(EntryOf(world.edca, node));
        auto device = DynamicCast<WifiNetDevice>(devices.Get(node));
        if (values.size() == 3 && device->GetMac()->GetQosSupported())
        {
            auto access = device->GetMac()->GetQosTxop(AC_BE);
            Simulator::Schedule(Seconds(world.begin - 0.5), [access, values]() {
                access->SetMinCw(values[0]);
                access->SetAifsn(values[1]);
                access->SetTxopLimit(MicroSeconds(values[2]));
            });
        }
    }
}

/// Sends Null frames at equal intervals, as clients do that keep their association alive.
inline void
SendNull(Ptr<WifiNetDevice> device, double gap)
{
    auto station = DynamicCast<StaWifiMac>(device->GetMac());
    if (station->IsAssociated())
    {
        WifiMacHeader header(WIFI_MAC_DATA_NULL);
        header.SetAddr1(station->GetBssid(0));
        header.SetAddr2(station->GetAddress());
        header.SetAddr3(station->GetBssid(0));
        header.SetDsTo();
        header.SetDsNotFrom();
        station->GetTxop()->Queue(Create<Packet>(), header);
    }
    Simulator::Schedule(Seconds(gap), &SendNull, device, gap);
}

inline void
KeepAlive(const World& world, NetDeviceContainer devices)
{
    for (uint32_t node = 2; world.nulls > 0 && world.Bss() && node < world.Own(); node++)
    {
        double gap = 1 / world.nulls;
        Simulator::Schedule(Seconds(0.5 + std::fmod(gap * node * 0.618, gap)), &SendNull,
                            DynamicCast<WifiNetDevice>(devices.Get(node)), gap);
    }
}

/// Something that is no Wi-Fi, on and off with a fixed period: a microwave oven.
inline void
Interfere(const World& world, Ptr<SpectrumChannel> channel)
{
    if (world.interferer <= -200)
    {
        return;
    }
    auto node = CreateObject<Node>();
    auto mobility = CreateObject<ConstantVelocityMobilityModel>();
    mobility->SetPosition(Vector(0, world.interfererAt, 0));
    node->AggregateObject(mobility);
    auto density = WifiSpectrumValueHelper::CreateOfdmTxPowerSpectralDensity(
        world.interfererCentre, world.interfererWidth, std::pow(10, world.interferer / 10) / 1000, 20);
    WaveformGeneratorHelper generator;
    generator.SetChannel(channel);
    generator.SetTxPowerSpectralDensity(density);
    generator.SetPhyAttribute("Period", TimeValue(Seconds(world.interfererPeriod)));
    generator.SetPhyAttribute("DutyCycle", DoubleValue(world.interfererOn));
    auto phy = generator.Install(node).Get(0)->GetObject<NonCommunicatingNetDevice>()->GetPhy();
    Simulator::Schedule(Seconds(0.5), &WaveformGenerator::Start, DynamicCast<WaveformGenerator>(phy));
}

/// One device per node, in their order.
inline NetDeviceContainer
MakeDevices(const World& world, NodeContainer nodes)
{
    YansWifiPhyHelper yans;
    SpectrumWifiPhyHelper spectrum;
    if (world.spectrum)
    {
        auto channel = CreateObject<MultiModelSpectrumChannel>();
        channel->AddPropagationLossModel(LossOf(world));
        channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
        spectrum.SetChannel(channel);
        Interfere(world, channel);
    }
    else
    {
        auto channel = CreateObject<YansWifiChannel>();
        channel->SetPropagationLossModel(LossOf(world));
        channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
        yans.SetChannel(channel);
    }
    WifiPhyHelper& phy = world.spectrum ? static_cast<WifiPhyHelper&>(spectrum) : yans;
    phy.Set("TxPowerStart", DoubleValue(world.power));
    phy.Set("TxPowerEnd", DoubleValue(world.power));
    if (world.capture)
    {
        phy.SetFrameCaptureModel("ns3::SimpleFrameCaptureModel");
    }
    for (const char* name : {"Antennas", "MaxSupportedTxSpatialStreams", "MaxSupportedRxSpatialStreams"})
    {
        phy.Set(name, UintegerValue(world.antennas));
    }

    NetDeviceContainer devices;
    for (uint32_t node = 0; node < nodes.GetN(); node++)
    {
        bool outside = node >= world.Own() && node < world.Stations();
        bool beacons = node >= world.Stations() && node < world.Stations() + world.beacons;
        bool scans = node >= world.Stations() + world.beacons && node + 1 < nodes.GetN();
        WifiHelper wifi;
        bool legacy = node + 1 == world.Own() && !world.legacyStandard.empty();
        auto standard = outside ? world.outsideStandard : legacy ? world.legacyStandard : world.standard;
        auto entry = EntryOf(world.standards, node);
        standard = entry.empty() ? standard : entry;
        wifi.SetStandard(StandardOf(standard.empty() ? world.standard : standard));
        auto mode = outside ? world.outsideMode : legacy ? world.legacyMode : node < 2 ? world.mode : world.otherMode;
        auto chosen = EntryOf(world.modes, node);
        mode = chosen.empty() ? mode : chosen;
        World rates = world;
        bool old = entry == "802.11a" || entry == "802.11b" || entry == "802.11g";
        rates.rateControl = old && world.rateControl == "MinstrelHt" ? "Minstrel" : world.rateControl;
        SetRates(wifi, rates, mode.empty() ? world.mode : mode, node);
        auto channel = outside ? world.outsideChannel : legacy ? world.legacyChannel : "";
        entry = EntryOf(world.channels, node);
        channel = entry.empty() ? channel : entry;
        phy.Set("ChannelSettings", StringValue(channel.empty() ? world.channel : channel));
        if (world.topology == "mesh" && node < world.Own())
        {
            MeshHelper mesh = MeshHelper::Default();
            mesh.SetStackInstaller("ns3::Dot11sStack");
            mesh.SetSpreadInterfaceChannels(MeshHelper::ZERO_CHANNEL);
            mesh.SetMacType("RandomStart", TimeValue(Seconds(0.1)));
            mesh.SetStandard(StandardOf(world.standard));
            mesh.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                         "DataMode", StringValue(mode.empty() ? world.mode : mode),
                                         "ControlMode", StringValue(world.control),
                                         "NonUnicastMode", StringValue(world.group.empty() ? world.control : world.group));
            auto point = mesh.Install(phy, NodeContainer(nodes.Get(node)));
            mesh.AssignStreams(point, MESH_STREAMS + 100 * node);
            devices.Add(DynamicCast<MeshPointDevice>(point.Get(0))->GetInterfaces().front());
            SetContention(DynamicCast<WifiNetDevice>(devices.Get(node)), world, outside, node);
            continue;
        }
        WifiMacHelper mac;
        auto cell = EntryOf(world.cells, node);
        bool ownCell = !cell.empty(), ownAccess = ownCell && cell.back() == '*';
        cell = ownAccess ? cell.substr(0, cell.size() - 1) : cell;
        Ssid ssid(ownCell ? cell : outside ? "outside" : beacons ? "a-neighbour-whose-name-is-long" : "world");
        bool reuses = world.obssPd < 0 && node + 1 < nodes.GetN();
        if (reuses)
        {
            wifi.SetObssPdAlgorithm("ns3::ConstantObssPdAlgorithm", "ObssPdLevel", DoubleValue(world.obssPd));
        }
        if (beacons)
        {
            mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid),
                        "BeaconInterval", TimeValue(MicroSeconds(1024 * world.beaconUnits)));
        }
        else if (scans)
        {
            mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(Ssid("nobody's")), "ActiveProbing", BooleanValue(true));
        }
        else if (outside || (world.Bss() && node < world.Own()))
        {
            bool access = ownCell ? ownAccess : node == (outside ? world.Own() : world.AccessPoint());
            mac.SetType(access ? "ns3::ApWifiMac" : "ns3::StaWifiMac", "Ssid", SsidValue(ssid));
            if (access && !outside && (world.dlOfdma || world.ulOfdma))
            {
                mac.SetMultiUserScheduler("ns3::RrMultiUserScheduler",
                                          "EnableUlOfdma", BooleanValue(world.ulOfdma),
                                          "EnableBsrp", BooleanValue(world.ulOfdma));
            }
        }
        else
        {
            mac.SetType("ns3::AdhocWifiMac");
        }
        devices.Add(wifi.Install(phy, mac, nodes.Get(node)));
        SetContention(DynamicCast<WifiNetDevice>(devices.Get(node)), world, outside, node);
        if (auto he = DynamicCast<WifiNetDevice>(devices.Get(node))->GetHeConfiguration(); he && reuses)
        {
            he->SetBssColor(1 + std::hash<std::string>()(cell.empty() && outside ? "outside" : cell) % 62);
        }
    }
    SetOwnMind(world, devices);
    KeepAlive(world, devices);
    WifiHelper().AssignStreams(devices, MAC_STREAMS);
    return devices;
}

} // namespace ns3
