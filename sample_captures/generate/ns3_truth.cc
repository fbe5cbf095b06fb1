// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

#include "ns3_truth.h"

#include "ns3/mobility-module.h"
#include "ns3/propagation-module.h"

#include <fstream>
#include <sstream>

using namespace ns3;

namespace
{

constexpr int64_t WINDOW_NS = 100'000'000;

Ipv4Address
AddressOf(uint32_t node)
{
    return NodeList::GetNode(node)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
}

/// The conversation as one text for both directions: the lower end first.
std::string
Name(const Flow& flow)
{
    Ipv4Address low = std::min(AddressOf(flow.from), AddressOf(flow.to));
    Ipv4Address high = std::max(AddressOf(flow.from), AddressOf(flow.to));
    std::ostringstream text;
    text << "udp " << low << ":" << flow.port << " " << high << ":" << flow.port;
    return text.str();
}

std::string
KindOf(const WifiMacHeader& header)
{
    switch (header.GetType())
    {
    case WIFI_MAC_CTL_RTS:
        return "rts";
    case WIFI_MAC_CTL_CTS:
        return "cts";
    case WIFI_MAC_CTL_ACK:
        return "ack";
    case WIFI_MAC_CTL_BACKREQ:
        return "block_ack_req";
    case WIFI_MAC_CTL_BACKRESP:
        return "block_ack";
    case WIFI_MAC_MGT_BEACON:
        return "beacon";
    case WIFI_MAC_MGT_PROBE_REQUEST:
        return "probe_req";
    case WIFI_MAC_MGT_PROBE_RESPONSE:
        return "probe_resp";
    case WIFI_MAC_DATA:
        return "data";
    case WIFI_MAC_DATA_NULL:
        return "null";
    case WIFI_MAC_QOSDATA:
        return "qos_data";
    default:
        NS_ABORT_MSG_IF(!header.IsMgt(), "no name for " << header.GetTypeString());
        return "mgmt_other";
    }
}

Vector
PositionOf(uint32_t node)
{
    return NodeList::GetNode(node)->GetObject<MobilityModel>()->GetPosition();
}

/// `separator`-joined list of numbers.
std::string
Join(const std::set<uint32_t>& numbers, const char* separator)
{
    std::ostringstream text;
    for (uint32_t number : numbers)
    {
        text << (text.tellp() > 0 ? separator : "") << number;
    }
    return text.str();
}

} // namespace

Truth::Truth(std::string phyJson)
    : m_phyJson(std::move(phyJson))
{
}

void
Truth::Watch(Ptr<NetDevice> device)
{
    m_devices.push_back(device);
    m_startPlaces.push_back(PositionOf(device->GetNode()->GetId()));
    uint32_t node = device->GetNode()->GetId();
    Ptr<WifiPhy> phy = DynamicCast<WifiNetDevice>(device)->GetPhy();
    phy->TraceConnectWithoutContext("PhyTxPsduBegin", MakeCallback(&Truth::OnTransmit, this).Bind(node));
    phy->GetState()->TraceConnectWithoutContext("State", MakeCallback(&Truth::OnState, this).Bind(node));
    phy->GetState()->TraceConnectWithoutContext("RxOk", MakeCallback(&Truth::OnRxOk, this).Bind(node));
    phy->GetState()->TraceConnectWithoutContext("RxError", MakeCallback(&Truth::OnRxError, this).Bind(node));
}

void
Truth::Install(const Flow& flow)
{
    m_flows.push_back(flow);
    m_delivered[Name(flow)];
    InetSocketAddress destination(AddressOf(flow.to), flow.port);

    PacketSinkHelper sink("ns3::UdpSocketFactory", destination);
    Ptr<Application> receiver = sink.Install(NodeList::GetNode(flow.to)).Get(0);
    receiver->TraceConnectWithoutContext("Rx", MakeCallback(&Truth::OnDelivery, this).Bind(Name(flow)));

    OnOffHelper source("ns3::UdpSocketFactory", destination);
    source.SetConstantRate(DataRate(flow.rateBps), flow.payloadBytes);
    source.SetAttribute("Local", AddressValue(InetSocketAddress(AddressOf(flow.from), flow.port)));
    ApplicationContainer sender = source.Install(NodeList::GetNode(flow.from));
    sender.Start(Seconds(flow.start));
    sender.Stop(Seconds(flow.stop));
}

void
Truth::Write(const std::string& directory, const std::string& scenario, double seconds) const
{
    WriteTransmissions(directory + "/truth_transmissions.csv");
    WriteGoodput(directory + "/truth_goodput.csv", seconds);
    WriteSetup(directory + "/setup.json", scenario, seconds);
}

void
Truth::OnState(uint32_t node, Time start, Time duration, WifiPhyState state)
{
    if (state == WifiPhyState::TX)
    {
        m_durations[{node, start}] = duration;
    }
}

void
Truth::OnTransmit(uint32_t node, WifiConstPsduMap psdus, WifiTxVector vector, double)
{
    NS_ABORT_MSG_IF(psdus.size() != 1, "multi-user PPDUs are not recorded");
    auto [station, psdu] = *psdus.begin();
    const WifiMacHeader& header = psdu->GetHeader(0);
    double rate = vector.GetMode(station).GetDataRate(vector, station) / 1e6;
    m_transmissions.push_back({node,
                               Simulator::Now(),
                               Time(),
                               KindOf(header),
                               psdu->GetSize(),
                               static_cast<uint32_t>(psdu->GetNMpdus()),
                               rate,
                               header.IsRetry(),
                               NodeWith(header.GetAddr1()),
                               {},
                               {}});
}

void
Truth::OnRxOk(uint32_t node, Ptr<const Packet> packet, double, WifiMode, WifiPreamble)
{
    JustEnded(node, packet->GetSize()).receivedOk.insert(node);
}

void
Truth::OnRxError(uint32_t node, Ptr<const Packet> packet, double)
{
    JustEnded(node, packet->GetSize()).receivedBad.insert(node);
}

void
Truth::OnDelivery(std::string flow, Ptr<const Packet> packet, const Address&)
{
    m_delivered[flow][Simulator::Now().GetNanoSeconds() / WINDOW_NS] += packet->GetSize();
}

/// The number of the node with this address, or "all" for a group.
std::string
Truth::NodeWith(Mac48Address address) const
{
    if (address.IsGroup())
    {
        return "all";
    }
    for (const auto& device : m_devices)
    {
        if (Mac48Address::ConvertFrom(device->GetAddress()) == address)
        {
            return std::to_string(device->GetNode()->GetId());
        }
    }
    NS_ABORT_MSG("nobody has the address " << address);
}

/// The transmission whose last symbol reaches the receiver at this instant.
Truth::Transmission&
Truth::JustEnded(uint32_t receiver, uint32_t bytes)
{
    auto propagation = CreateObject<ConstantSpeedPropagationDelayModel>();
    auto here = NodeList::GetNode(receiver)->GetObject<MobilityModel>();
    for (auto sent = m_transmissions.rbegin(); sent != m_transmissions.rend(); ++sent)
    {
        if (sent->node == receiver || sent->lengthBytes != bytes)
        {
            continue;
        }
        Time end = sent->start + m_durations.at({sent->node, sent->start});
        auto there = NodeList::GetNode(sent->node)->GetObject<MobilityModel>();
        Time arrival = end + propagation->GetDelay(there, here);
        if (Abs(Simulator::Now() - arrival) <= NanoSeconds(5))
        {
            return *sent;
        }
        NS_ABORT_MSG_IF(sent->start + MilliSeconds(50) < Simulator::Now(),
                        "node " << receiver << " received what nobody sent at " << Simulator::Now());
    }
    NS_ABORT_MSG("node " << receiver << " received before anybody sent");
}

void
Truth::WriteTransmissions(const std::string& path) const
{
    std::ofstream out(path);
    out << "node,start_ns,duration_ns,kind,length_bytes,mpdus,rate_mbps,retry,receiver,received_ok,received_bad\n";
    for (const Transmission& t : m_transmissions)
    {
        out << t.node << ',' << t.start.GetNanoSeconds() << ','
            << m_durations.at({t.node, t.start}).GetNanoSeconds() << ',' << t.kind << ',' << t.lengthBytes << ','
            << t.mpdus << ',' << t.rateMbps << ',' << t.retry << ',' << t.receiver << ',' << Join(t.receivedOk, ";")
            << ',' << Join(t.receivedBad, ";") << '\n';
    }
}

void
Truth::WriteGoodput(const std::string& path, double seconds) const
{
    std::ofstream out(path);
    out << "flow,start_ns,window_ns,throughput_bps\n";
    auto windows = static_cast<int64_t>(seconds * 1e9 / WINDOW_NS);
    for (const auto& [flow, bytes] : m_delivered)
    {
        for (int64_t window = 0; window < windows; window++)
        {
            auto found = bytes.find(window);
            uint64_t arrived = found == bytes.end() ? 0 : found->second;
            uint64_t throughput = arrived * 8 * (1'000'000'000 / WINDOW_NS);
            out << flow << ',' << window * WINDOW_NS << ',' << WINDOW_NS << ',' << throughput << '\n';
        }
    }
}

void
Truth::WriteSetup(const std::string& path, const std::string& scenario, double seconds) const
{
    std::map<uint32_t, std::set<uint32_t>> hears;
    for (const Transmission& t : m_transmissions)
    {
        for (uint32_t receiver : t.receivedOk)
        {
            hears[receiver].insert(t.node);
        }
    }
    std::ofstream out(path);
    out << "{\"simulator\": \"ns-3.37\", \"scenario\": \"" << scenario << "\", \"duration_s\": " << seconds
        << ",\n\"phy\": {" << m_phyJson << "},\n\"nodes\": [";
    for (size_t i = 0; i < m_devices.size(); i++)
    {
        uint32_t node = m_devices[i]->GetNode()->GetId();
        const Vector& at = m_startPlaces[i];
        out << (i ? ",\n" : "\n") << "{\"node\": " << node
            << ", \"address\": \"" << Mac48Address::ConvertFrom(m_devices[i]->GetAddress()) << "\", \"position_m\": ["
            << at.x << ", " << at.y << "], \"hears\": [" << Join(hears[node], ", ") << "]}";
    }
    out << "],\n\"flows\": [";
    for (size_t i = 0; i < m_flows.size(); i++)
    {
        const Flow& f = m_flows[i];
        out << (i ? ",\n" : "\n") << "{\"flow\": \"" << Name(f) << "\", \"from\": " << f.from << ", \"to\": " << f.to
            << ", \"payload_bytes\": " << f.payloadBytes << ", \"rate_bps\": " << f.rateBps
            << ", \"start_s\": " << f.start << ", \"stop_s\": " << f.stop << "}";
    }
    out << "]}\n";
}
