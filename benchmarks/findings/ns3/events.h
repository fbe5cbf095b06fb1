// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// What ns-3 3.37 does not send by itself: null frames of stations that sleep, deauthentications, noise that takes the
// medium, and radios that change their channel.

#pragma once

#include "cells.h"

#include "ns3/ht-phy.h"

namespace ns3
{

constexpr int64_t NULL_STREAMS = 3020;
constexpr double OVEN_PERIOD = 0.02;  // s, of mains at 50 Hz
constexpr double OVEN_PIECE = 0.0035; // s, of one PPDU at most

/// Stations that tell an access point that they fall asleep and wake up: null frames, in their ordinary queue. They
/// have not joined it, so that it acknowledges the frames and does nothing else.
class Sleepers : public Object
{
  public:
    Sleepers(const Options& options, const Causes& causes, Ptr<Channel> medium, NodeContainer nodes, Mac48Address access)
        : m_access(access)
    {
        std::vector<Vector> places;
        for (uint32_t i = 0; i < nodes.GetN(); i++)
        {
            places.emplace_back(6 * std::cos(1.3 * i), 6 * std::sin(1.3 * i), 0);
        }
        Stand(nodes, places);
        auto phy = RadioOn(medium, options.channel);
        WifiHelper wifi;
        wifi.SetStandard(StandardOf(options));
        wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                     "DataMode",
                                     StringValue(causes.nullMode),
                                     "ControlMode",
                                     StringValue(options.controlMode));
        WifiMacHelper mac;
        mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(Ssid("asleep")));
        m_devices = wifi.Install(phy, mac, nodes);
        wifi.AssignStreams(m_devices, MAC_STREAMS + 600);
        m_gap = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(1 / causes.nulls));
        m_gap->SetStream(NULL_STREAMS);
        Simulator::Schedule(Seconds(0.9), &Sleepers::Send, this);
    }

  private:
    void Send()
    {
        auto mac = DynamicCast<WifiNetDevice>(m_devices.Get(m_sent++ % m_devices.GetN()))->GetMac();
        WifiMacHeader header(WIFI_MAC_DATA_NULL);
        header.SetAddr1(m_access);
        header.SetAddr2(mac->GetAddress());
        header.SetAddr3(m_access);
        header.SetDsTo();
        header.SetDsNotFrom();
        auto queue = mac->GetQosSupported() ? Ptr<Txop>(mac->GetQosTxop(AC_VO)) : mac->GetTxop();
        queue->Queue(Create<Packet>(), header);
        Simulator::Schedule(Seconds(m_gap->GetValue()), &Sleepers::Send, this);
    }

    Mac48Address m_access;
    NetDeviceContainer m_devices;
    Ptr<ExponentialRandomVariable> m_gap;
    uint32_t m_sent = 0;
};

/// Takes the medium for a part of each period without a frame that anybody can decode, as a microwave oven does. It
/// sends HT PPDUs and does not listen; the stations have no HT, so to them it is power above the threshold of CCA.
class Oven : public Object
{
  public:
    Oven(const Options& options, const Causes& causes, Ptr<Channel> medium, Ptr<Node> node)
        : m_on(causes.oven * OVEN_PERIOD)
    {
        Stand(node, {Vector(3, -2, 0)});
        WifiHelper wifi;
        wifi.SetStandard(WIFI_STANDARD_80211n);
        WifiMacHelper mac;
        mac.SetType("ns3::AdhocWifiMac");
        auto devices = wifi.Install(RadioOn(medium, options.channel), mac, node);
        wifi.AssignStreams(devices, MAC_STREAMS + 650);
        m_radio = DynamicCast<WifiNetDevice>(devices.Get(0))->GetPhy();
        Simulator::Schedule(Seconds(0.9), &Oven::Begin, this);
    }

  private:
    void Begin()
    {
        m_end = Simulator::Now() + Seconds(m_on);
        Radiate();
        Simulator::Schedule(Seconds(OVEN_PERIOD), &Oven::Begin, this);
    }

    void Radiate()
    {
        double left = (m_end - Simulator::Now()).GetSeconds();
        if (left < 0.0002)
        {
            return;
        }
        WifiMacHeader header(WIFI_MAC_DATA);
        header.SetAddr1(Mac48Address::GetBroadcast());
        auto octets = static_cast<uint32_t>(std::min(left, OVEN_PIECE) * 6.5e6 / 8) - 64;
        auto psdu = Create<const WifiPsdu>(Create<Packet>(octets), header);
        WifiTxVector vector(HtPhy::GetHtMcs0(), 0, WIFI_PREAMBLE_HT_MF, 800, 1, 1, 0, 20, false);
        Time lasts = WifiPhy::CalculateTxDuration(psdu, vector, m_radio->GetPhyBand());
        m_radio->Send(psdu, vector);
        Simulator::Schedule(lasts + NanoSeconds(1), &Oven::Radiate, this);
    }

    double m_on;
    Time m_end;
    Ptr<WifiPhy> m_radio;
};

/// A station that its access point throws out whenever it was not heard for a while, and that joins again. The path
/// between them is cut for 0.45 of each period; the deauthentication goes out in the middle of that.
class Expelled : public Object
{
  public:
    Expelled(const Options& options, const Causes& causes, Ptr<Channel> medium, NodeContainer nodes)
        : m_period(causes.expelled),
          m_devices(Joiner(options, "one cell", 2, medium, nodes)),
          m_path(CreateObject<WeakPath>(0, 0.45, nodes.Get(0), nodes.Get(1), causes.expelled))
    {
        Weaken(medium, m_path);
        Simulator::Schedule(Seconds(0.75 * m_period), &Expelled::Send, this);
    }

    NetDeviceContainer Devices() const
    {
        return m_devices;
    }

  private:
    void Send()
    {
        Simulator::Schedule(Seconds(m_period), &Expelled::Send, this);
        if (!m_path->IsCut())
        {
            return;
        }
        auto access = DynamicCast<WifiNetDevice>(m_devices.Get(0))->GetMac();
        WifiMacHeader header(WIFI_MAC_MGT_DEAUTHENTICATION);
        header.SetAddr1(Mac48Address::ConvertFrom(m_devices.Get(1)->GetAddress()));
        header.SetAddr2(access->GetAddress());
        header.SetAddr3(access->GetAddress());
        header.SetDsNotTo();
        header.SetDsNotFrom();
        const uint8_t inactivity[] = {4, 0}; // reason code 4, IEEE 802.11-2020 table 9-49
        auto queue = access->GetQosSupported() ? Ptr<Txop>(access->GetQosTxop(AC_VO)) : access->GetTxop();
        queue->Queue(Create<Packet>(inactivity, sizeof inactivity), header);
    }

    double m_period;
    NetDeviceContainer m_devices;
    Ptr<WeakPath> m_path;
};

inline void
Tune(Ptr<NetDevice> device, const std::string& channel)
{
    DynamicCast<WifiNetDevice>(device)->GetPhy()->SetAttribute("ChannelSettings", StringValue(channel));
}

/// The access point leaves its channel at an instant; the stations follow when they have found it again.
inline void
Move(const std::string& channel, Ptr<NetDevice> access, NetDeviceContainer devices, double at)
{
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        auto device = devices.Get(i);
        Simulator::Schedule(Seconds(device == access ? at : at + 0.2), [=] { Tune(device, channel); });
    }
}

/// A recorder goes from channel to channel.
inline void
Hop(Ptr<NetDevice> recorder, std::vector<std::string> channels, std::size_t next, double stay)
{
    Simulator::Schedule(Seconds(stay), [=] {
        Tune(recorder, channels[next % channels.size()]);
        Hop(recorder, channels, next + 1, stay);
    });
}

} // namespace ns3
