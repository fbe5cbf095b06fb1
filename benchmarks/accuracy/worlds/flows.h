// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Flows that are declared one by one, and hosts behind the access point's cable.

#pragma once

#include "options.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

/// A flow of World::flows: "FROM>TO:KIND:RATE:PAYLOAD[:CATEGORY[:BEGIN[:END]]]".
struct DeclaredFlow
{
    std::string from, to; // a station's number; w1, w2, ...: a host behind the cable; *: everybody
    std::string kind;     // as World::arrivals; burstN, beatN: N packets at once, at random or equal intervals;
                          // ramp: from nothing to twice the rate; chunks: PAYLOAD octets of TCP at equal intervals
    double rate;          // packets, or chunks, per second
    uint32_t payload, together = 1;
    std::string category = "BE";
    double begin = 0, end = 0; // s of the measured time; 0: from its start, to its end
};

inline std::vector<DeclaredFlow>
DeclaredFlows(const World& world)
{
    std::vector<DeclaredFlow> flows;
    std::istringstream list(world.flows);
    for (std::string text; std::getline(list, text, ';');)
    {
        DeclaredFlow flow;
        std::string ends;
        std::replace(text.begin(), text.end(), ':', ' ');
        std::istringstream words(text);
        NS_ABORT_MSG_IF(!(words >> ends >> flow.kind >> flow.rate >> flow.payload), "no flow: " << text);
        words >> flow.category >> flow.begin >> flow.end;
        auto arrow = ends.find('>');
        NS_ABORT_MSG_IF(arrow == std::string::npos, "no flow: " << text);
        flow.from = ends.substr(0, arrow);
        flow.to = ends.substr(arrow + 1);
        for (const char* kind : {"burst", "beat"})
        {
            if (flow.kind.rfind(kind, 0) == 0)
            {
                flow.together = std::stoul(flow.kind.substr(std::string(kind).size()));
                flow.kind = std::string(kind) == "beat" ? "constant" : "poisson";
            }
        }
        flow.end = flow.end > 0 ? flow.end : world.seconds;
        flows.push_back(flow);
    }
    return flows;
}

/// Hosts behind the access point, each as many ms of round trip away.
inline std::vector<std::pair<Ptr<Node>, Ipv4Address>>
WiredHosts(const World& world, NodeContainer nodes, Ipv4InterfaceContainer interfaces)
{
    std::vector<std::pair<Ptr<Node>, Ipv4Address>> hosts;
    auto routes = [](Ptr<Node> node) { return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>()); };
    for (double milliseconds : Numbers(world.wired))
    {
        auto host = CreateObject<Node>();
        InternetStackHelper().Install(host);
        PointToPointHelper cable;
        cable.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        cable.SetChannelAttribute("Delay", TimeValue(Seconds(milliseconds / 2000)));
        auto ends = cable.Install(host, nodes.Get(world.AccessPoint()));
        std::string network = "10.1." + std::to_string(hosts.size() + 1) + ".0";
        auto addresses = Ipv4AddressHelper(network.c_str(), "255.255.255.0").Assign(ends);
        routes(host)->SetDefaultRoute(addresses.GetAddress(1), 1);
        hosts.emplace_back(host, addresses.GetAddress(0));
    }
    for (uint32_t node = 0; !hosts.empty() && node < world.Own(); node++)
    {
        if (node != world.AccessPoint())
        {
            routes(nodes.Get(node))->SetDefaultRoute(interfaces.GetAddress(world.AccessPoint()), 1);
        }
    }
    return hosts;
}

/// Writes as many octets into a TCP connection at equal intervals, as players of video fill their buffers.
class Streamer : public Object
{
  public:
    Streamer(Ptr<Node> node, InetSocketAddress peer, const DeclaredFlow& flow, double from)
        : m_socket(Socket::CreateSocket(node, TcpSocketFactory::GetTypeId())),
          m_flow(flow)
    {
        m_socket->SetAttribute("SndBufSize", UintegerValue(64 << 20));
        m_socket->Bind();
        m_peer = peer;
        Simulator::Schedule(Seconds(from), &Streamer::Open, this);
    }

    void Begin(double at, double end)
    {
        m_end = end;
        Simulator::Schedule(Seconds(at), &Streamer::Next, this);
    }

  private:
    void Open()
    {
        m_socket->Connect(m_peer);
    }

    void Next()
    {
        if (Simulator::Now().GetSeconds() < m_end)
        {
            m_socket->Send(Create<Packet>(m_flow.payload));
            Simulator::Schedule(Seconds(1 / m_flow.rate), &Streamer::Next, this);
        }
    }

    Ptr<Socket> m_socket;
    DeclaredFlow m_flow;
    Address m_peer;
    double m_end = 0;
};

} // namespace ns3
