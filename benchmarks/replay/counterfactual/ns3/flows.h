// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// The flows of a world, and what their sockets and sinks know of them.

#pragma once

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <vector>

namespace ns3
{

constexpr double START_S = 0.1;
constexpr uint16_t PORT = 5001;
/// Of an application that pauses: what it writes while it does not, and for how long.
constexpr double WRITTEN_BPS = 4e6;
constexpr double WRITING_S = 0.5;

/// A flow over these nodes.
struct Flow
{
    std::vector<uint32_t> path;
    bool tcp = true;
    double rateBps = 0;
    /// Payload of its packets.
    uint32_t bytes = 1000;
    double startS = START_S;
    double stopS = 0;
    uint16_t port = PORT;
    /// Whether the application writes for a time and pauses for another, in turn.
    bool pauses = false;
    double pauseS = 0;
    Ptr<Node> source;
    Ipv4Address from;
    Ipv4Address to;
    Ptr<PacketSink> sink;
    /// Round-trip times: from the first transmission of the earliest segment that an acknowledgement covers, unless that
    /// segment was sent again (Karn).
    std::vector<double> rttMs;
    /// End of each segment that is not acknowledged, when it was sent, and how often.
    std::map<uint32_t, std::pair<Time, uint32_t>> outstanding;
    uint64_t segments = 0;
    uint64_t retransmissions = 0;

    void Sent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        if (packet->GetSize() == 0)
        {
            return;
        }
        uint32_t end = header.GetSequenceNumber().GetValue() + packet->GetSize();
        auto [place, first] = outstanding.try_emplace(end, Simulator::Now(), 0);
        place->second.second++;
        segments++;
        retransmissions += first ? 0 : 1;
    }

    void Acknowledged(Ptr<const Packet>, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        if ((header.GetFlags() & TcpHeader::ACK) == 0 || outstanding.empty())
        {
            return;
        }
        uint32_t upTo = header.GetAckNumber().GetValue();
        auto earliest = outstanding.begin();
        if (earliest->first <= upTo && earliest->second.second == 1)
        {
            rttMs.push_back((Simulator::Now() - earliest->second.first).GetSeconds() * 1e3);
        }
        outstanding.erase(outstanding.begin(), outstanding.upper_bound(upTo));
    }
};

inline Ptr<Application>
Greedy(const Flow& flow, const InetSocketAddress& remote)
{
    BulkSendHelper source("ns3::TcpSocketFactory", remote);
    source.SetAttribute("SendSize", UintegerValue(flow.bytes));
    return source.Install(flow.source).Get(0);
}

inline Ptr<Application>
Pausing(const Flow& flow, const InetSocketAddress& remote)
{
    auto constant = [](double seconds) {
        return StringValue("ns3::ConstantRandomVariable[Constant=" + std::to_string(seconds) + "]");
    };
    OnOffHelper source("ns3::TcpSocketFactory", remote);
    source.SetAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(WRITTEN_BPS))));
    source.SetAttribute("PacketSize", UintegerValue(flow.bytes));
    source.SetAttribute("OnTime", constant(WRITING_S));
    source.SetAttribute("OffTime", constant(flow.pauseS));
    return source.Install(flow.source).Get(0);
}

inline void
Start(Flow& flow, Ptr<Node> destination)
{
    std::string factory = flow.tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), flow.port));
    flow.sink = DynamicCast<PacketSink>(sink.Install(destination).Get(0));
    InetSocketAddress remote(flow.to, flow.port);
    if (!flow.tcp)
    {
        OnOffHelper source(factory, remote);
        source.SetConstantRate(DataRate(static_cast<uint64_t>(flow.rateBps)), flow.bytes);
        auto application = source.Install(flow.source).Get(0);
        application->SetStartTime(Seconds(flow.startS));
        application->SetStopTime(Seconds(flow.stopS));
        return;
    }
    Ptr<Application> application = flow.pauses ? Pausing(flow, remote) : Greedy(flow, remote);
    application->SetStartTime(Seconds(flow.startS));
    // A socket has the segments that are the default when it is made, which is when its application starts.
    Simulator::Schedule(Seconds(flow.startS) - NanoSeconds(1), [&flow] {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(flow.bytes));
    });
    // The socket is there once the application has started.
    Simulator::Schedule(Seconds(flow.startS) + NanoSeconds(1), [&flow, application] {
        auto socket = flow.pauses ? DynamicCast<OnOffApplication>(application)->GetSocket()
                                  : DynamicCast<BulkSendApplication>(application)->GetSocket();
        socket->TraceConnectWithoutContext("Tx", MakeCallback(&Flow::Sent, &flow));
        socket->TraceConnectWithoutContext("Rx", MakeCallback(&Flow::Acknowledged, &flow));
    });
}

inline double
Quantile(std::vector<double> values, double quantile)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? NAN : values[static_cast<size_t>(quantile * (values.size() - 1))];
}

inline void
Write(std::ostream& truth, const std::vector<Flow>& flows)
{
    truth << "source,destination,port,protocol,goodput_bps,rtt_p50_ms,rtt_p95_ms,segments,retransmissions\n";
    for (const Flow& flow : flows)
    {
        double goodput = 8.0 * flow.sink->GetTotalRx() / (flow.stopS - flow.startS);
        truth << flow.from << ',' << flow.to << ',' << flow.port << ',' << (flow.tcp ? "tcp" : "udp") << ',';
        truth << std::llround(goodput) << ',' << Quantile(flow.rttMs, 0.5) << ',' << Quantile(flow.rttMs, 0.95) << ',';
        truth << flow.segments << ',' << flow.retransmissions << '\n';
    }
}

} // namespace ns3
