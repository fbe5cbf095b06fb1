// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Stations, access points and the sniffer: where they are and how their radios are set.

#pragma once

#include "options.h"

#include "ns3/core-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <map>

namespace ns3
{

constexpr int64_t MAC_STREAMS = 2000, LOSS_STREAM = 3000, FADING_STREAM = 3001;
constexpr double RANGE = 250;         // m
constexpr double SNIFFER_FADING = 4;  // standard deviation per frame, dB

/// Loses data frames addressed to one station, each with the same chance.
class LossyLink : public ErrorModel
{
  public:
    LossyLink(Mac48Address receiver, double chance)
        : m_receiver(receiver),
          m_chance(chance),
          m_random(CreateObject<UniformRandomVariable>())
    {
        m_random->SetStream(LOSS_STREAM);
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        WifiMacHeader header;
        packet->PeekHeader(header);
        return header.IsData() && header.GetAddr1() == m_receiver && m_random->GetValue() < m_chance;
    }

    void DoReset() override
    {
    }

    Mac48Address m_receiver;
    double m_chance;
    Ptr<UniformRandomVariable> m_random;
};

/// Attenuates every frame, by a mean and a normally distributed part: on all paths, and more on those to the sniffer.
class Attenuation : public PropagationLossModel
{
  public:
    Attenuation(const Options& options)
        : m_options(options),
          m_random(CreateObject<NormalRandomVariable>())
    {
        m_random->SetStream(FADING_STREAM);
    }

    Ptr<MobilityModel> m_sniffer;

  private:
    double DoCalcRxPower(double dbm, Ptr<MobilityModel>, Ptr<MobilityModel> to) const override
    {
        bool sniffed = to == m_sniffer;
        double fading = sniffed ? (m_options.sniffer == "far" ? SNIFFER_FADING : 0) : m_options.fading;
        dbm -= sniffed ? m_options.snifferAttenuation : m_options.attenuation;
        return fading > 0 ? dbm - fading * m_random->GetValue() : dbm;
    }

    int64_t DoAssignStreams(int64_t) override
    {
        return 0;
    }

    Options m_options;
    Ptr<NormalRandomVariable> m_random;
};

inline Vector
SnifferPlace(const Options& options)
{
    if (options.sniffer == "edge")
    {
        return Vector(RANGE, 0, 0); // in range of the half that is nearer
    }
    return options.sniffer == "far" ? Vector(0, 40, 0) : Vector(3, 3, 0);
}

inline void
Place(const Options& options, NodeContainer nodes)
{
    auto places = CreateObject<ListPositionAllocator>();
    auto links = LinksOf(options);
    std::map<uint32_t, Vector> at;
    for (uint32_t i = 0; i < links.size(); i++)
    {
        double angle = 2 * M_PI * i / links.size();
        auto [from, to] = links[i];
        if (options.topology == "hidden")
        {
            at[from] = Vector(i == 0 ? -200 : 200, i == 0 ? 0 : 5.0 * i, 0);
            at[to] = Vector(0, 0, 0);
        }
        else if (options.Bss())
        {
            uint32_t access = options.AccessPoint();
            at[from == access ? to : from] = Vector(10 * std::cos(angle), 10 * std::sin(angle), 0);
            at[access] = Vector(0, 0, 0);
        }
        else
        {
            at[from] = Vector(15 * std::cos(angle), 15 * std::sin(angle), 0);
            at[to] = Vector(25 * std::cos(angle + 0.2), 25 * std::sin(angle + 0.2), 0);
        }
    }
    for (const auto& [node, place] : at)
    {
        places->Add(place);
    }
    if (!options.sniffer.empty())
    {
        places->Add(SnifferPlace(options));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
}

inline WifiStandard
StandardOf(const Options& options)
{
    const std::map<std::string, WifiStandard> standards = {{"802.11a", WIFI_STANDARD_80211a},
                                                           {"802.11b", WIFI_STANDARD_80211b},
                                                           {"802.11g", WIFI_STANDARD_80211g},
                                                           {"802.11n", WIFI_STANDARD_80211n},
                                                           {"802.11ac", WIFI_STANDARD_80211ac},
                                                           {"802.11ax", WIFI_STANDARD_80211ax}};
    return standards.at(options.standard);
}

/// Leaves one basic rate. Left alone, an ad hoc station makes every mandatory rate basic when it first
/// meets another, and then acknowledges at 11 Mb/s; so all stations are made acquainted beforehand.
inline void
LimitBasicRates(NetDeviceContainer devices, const Options& options)
{
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        auto stations = DynamicCast<WifiNetDevice>(devices.Get(i))->GetRemoteStationManager();
        stations->AddBasicMode(WifiMode(options.controlMode));
        for (uint32_t j = 0; j < devices.GetN(); j++)
        {
            Mac48Address peer = Mac48Address::ConvertFrom(devices.Get(j)->GetAddress());
            for (const auto& mode : {options.controlMode, options.dataMode, options.backgroundMode})
            {
                stations->AddSupportedMode(peer, WifiMode(mode));
            }
            stations->RecordDisassociated(peer);
        }
        stations->RecordDisassociated(Mac48Address::GetBroadcast());
    }
}

inline void
SetRates(WifiHelper& wifi, const Options& options, uint32_t node)
{
    uint32_t threshold = options.rts ? 0 : 65535;
    if (!options.rateControl.empty())
    {
        wifi.SetRemoteStationManager("ns3::" + options.rateControl + "WifiManager",
                                     "RtsCtsThreshold",
                                     UintegerValue(threshold));
        return;
    }
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(node < 2 ? options.dataMode : options.backgroundMode),
                                 "ControlMode",
                                 StringValue(options.controlMode),
                                 "NonUnicastMode",
                                 StringValue(options.controlMode),
                                 "RtsCtsThreshold",
                                 UintegerValue(threshold));
}

/// One device per node, in their order; that of the sniffer, if there is one, is the last.
inline NetDeviceContainer
MakeDevices(const Options& options, NodeContainer nodes)
{
    auto friis = CreateObjectWithAttributes<FriisPropagationLossModel>("Frequency", DoubleValue(2.412e9));
    auto range = CreateObjectWithAttributes<RangePropagationLossModel>("MaxRange", DoubleValue(RANGE));
    auto attenuation = CreateObject<Attenuation>(options);
    friis->SetNext(range);
    range->SetNext(attenuation);
    if (!options.sniffer.empty())
    {
        attenuation->m_sniffer = nodes.Get(nodes.GetN() - 1)->GetObject<MobilityModel>();
    }
    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    channel->SetPropagationLossModel(friis);
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.Set("ChannelSettings", StringValue(options.channel));
    phy.Set("TxPowerStart", DoubleValue(20));
    phy.Set("TxPowerEnd", DoubleValue(20));

    WifiHelper wifi;
    wifi.SetStandard(StandardOf(options));
    NetDeviceContainer devices;
    for (uint32_t node = 0; node < nodes.GetN(); node++)
    {
        WifiMacHelper mac;
        Ssid ssid("accuracy");
        bool sniffer = node >= options.Stations();
        if (options.Bss() && !sniffer)
        {
            bool access = node == options.AccessPoint();
            mac.SetType(access ? "ns3::ApWifiMac" : "ns3::StaWifiMac", "Ssid", SsidValue(ssid));
        }
        else
        {
            mac.SetType("ns3::AdhocWifiMac");
        }
        SetRates(wifi, options, node);
        devices.Add(wifi.Install(phy, mac, nodes.Get(node)));
    }
    wifi.AssignStreams(devices, MAC_STREAMS);
    if (!options.Bss() && options.standard == "802.11b")
    {
        // Start-up clears what is set now.
        Simulator::Schedule(MilliSeconds(1), [=] { LimitBasicRates(devices, options); });
    }
    if (options.loss > 0)
    {
        auto receiver = DynamicCast<WifiNetDevice>(devices.Get(1));
        auto address = Mac48Address::ConvertFrom(receiver->GetAddress());
        receiver->GetPhy()->SetPostReceptionErrorModel(Create<LossyLink>(address, options.loss));
    }
    return devices;
}

} // namespace ns3
