// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Who sends when: light, background and saturating traffic, and what of it arrives.

#pragma once

#include "options.h"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <fstream>
#include <map>

namespace ns3
{

constexpr double FIRST_PACKET = 0.6; // after association, s
// A neighbour's connection is there before the flow that fills the link: a SYN that is lost beside it is sent again only
// after seconds, and the neighbour of the recording would be missing in the run that gives the truth.
constexpr double BACKGROUND_CONNECTS = 0.5;
constexpr uint16_t LIGHT = 5000, SATURATING = 5001, BACKGROUND = 5002, BACKGROUND_TCP = 5003;
constexpr uint32_t LLC_IP_UDP = 8 + 20 + 8; // what an MSDU has beside the UDP payload
constexpr int64_t ARRIVAL_STREAMS = 1000;
constexpr int64_t BIN_NS = 100000000; // of goodput.csv
constexpr double BURST = 0.05, PAUSE = 0.15; // mean lengths of bursts and of the pauses between them, s

/// Sends packets of one size: at a mean rate, in bursts, or as many as keep a queue filled.
class Source : public Object
{
  public:
    Source(Ptr<Node> node, Ipv4Address to, uint16_t port, uint32_t payload, uint8_t tos)
        : m_socket(Socket::CreateSocket(node, UdpSocketFactory::GetTypeId())),
          m_payload(payload)
    {
        InetSocketAddress peer(to, port);
        peer.SetTos(tos);
        m_socket->Bind();
        m_socket->Connect(peer);
    }

    void SendAt(double packetsPerSecond, const std::string& arrivals, int64_t stream)
    {
        if (packetsPerSecond <= 0)
        {
            return;
        }
        if (arrivals == "constant")
        {
            m_gap = CreateObjectWithAttributes<ConstantRandomVariable>("Constant", DoubleValue(1 / packetsPerSecond));
        }
        else
        {
            double peak = arrivals == "bursty" ? packetsPerSecond * (BURST + PAUSE) / BURST : packetsPerSecond;
            m_gap = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(1 / peak));
        }
        m_gap->SetStream(stream);
        if (arrivals == "bursty")
        {
            m_period = CreateObject<ExponentialRandomVariable>();
            m_period->SetStream(stream + 200);
            Simulator::Schedule(Seconds(FIRST_PACKET), &Source::Toggle, this);
        }
        auto phase = CreateObject<UniformRandomVariable>();
        phase->SetStream(stream + 100);
        Simulator::Schedule(Seconds(FIRST_PACKET + phase->GetValue() / packetsPerSecond), &Source::SendNext, this);
    }

    void KeepFilled(Ptr<WifiMacQueue> queue, uint32_t packets)
    {
        m_queue = queue;
        m_level = packets;
        Simulator::Schedule(Seconds(FIRST_PACKET), &Source::Fill, this);
    }

  private:
    void SendNext()
    {
        if (m_sending)
        {
            m_socket->Send(Create<Packet>(m_payload));
        }
        Simulator::Schedule(Seconds(m_gap->GetValue()), &Source::SendNext, this);
    }

    /// A burst ends, or begins.
    void Toggle()
    {
        m_sending = !m_sending;
        Simulator::Schedule(Seconds(m_period->GetValue(m_sending ? BURST : PAUSE, 0)), &Source::Toggle, this);
    }

    void Fill()
    {
        for (uint32_t held = m_queue->GetNPackets(); held < m_level; held++)
        {
            m_socket->Send(Create<Packet>(m_payload));
        }
        Simulator::Schedule(MicroSeconds(500), &Source::Fill, this);
    }

    Ptr<Socket> m_socket;
    uint32_t m_payload;
    Ptr<RandomVariableStream> m_gap;
    Ptr<ExponentialRandomVariable> m_period;
    bool m_sending = true;
    Ptr<WifiMacQueue> m_queue;
    uint32_t m_level = 0;
};

/// Adds up what each port receives, by bin: MSDU octets of UDP, payload octets of TCP.
class Sink : public Object
{
  public:
    /// Listens once, however often it is called.
    void Listen(Ptr<Node> node, uint16_t port)
    {
        if (!m_listening.insert({node->GetId(), port}).second)
        {
            return;
        }
        auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        socket->SetRecvCallback(MakeCallback(&Sink::OnPackets, this));
        m_sockets.push_back(socket);
    }

    /// A TCP flow that is never short of data, from `node` to `to`; its connection is set up at `start`, in s.
    void Connect(Ptr<Node> node, Ptr<Node> to, Ipv4Address address, uint16_t port, double start)
    {
        if (m_listening.insert({to->GetId(), port}).second)
        {
            PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
            auto installed = receiver.Install(to);
            installed.Get(0)->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Sink::OnSegment, this, port));
        }
        BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(address, port));
        sender.SetAttribute("SendSize", UintegerValue(1448));
        sender.Install(node).Start(Seconds(start));
    }

    void Write(const std::string& path, double seconds) const
    {
        const std::map<uint16_t, std::string> names = {
            {LIGHT, "light"}, {SATURATING, "saturating"}, {BACKGROUND, "background"}, {BACKGROUND_TCP, "background_tcp"}};
        std::ofstream file(path);
        file << "flow,start_ns,window_ns,bytes\n";
        for (const auto& [port, name] : names)
        {
            for (int64_t start = 1000000000; start + BIN_NS <= 1000000000 + int64_t(seconds * 1e9); start += BIN_NS)
            {
                auto found = m_bytes.find({port, start / BIN_NS});
                file << name << ',' << start << ',' << BIN_NS << ',' << (found == m_bytes.end() ? 0 : found->second)
                     << '\n';
            }
        }
    }

  private:
    void OnPackets(Ptr<Socket> socket)
    {
        Address local;
        socket->GetSockName(local);
        uint16_t port = InetSocketAddress::ConvertFrom(local).GetPort();
        while (auto packet = socket->Recv())
        {
            Count(port, packet->GetSize() + LLC_IP_UDP);
        }
    }

    static void OnSegment(Sink* sink, uint16_t port, Ptr<const Packet> packet, const Address&)
    {
        sink->Count(port, packet->GetSize());
    }

    void Count(uint16_t port, uint64_t bytes)
    {
        m_bytes[{port, Simulator::Now().GetNanoSeconds() / BIN_NS}] += bytes;
    }

    std::vector<Ptr<Socket>> m_sockets;
    std::set<std::pair<uint32_t, uint16_t>> m_listening;
    std::map<std::pair<uint16_t, int64_t>, uint64_t> m_bytes;
};

} // namespace ns3
