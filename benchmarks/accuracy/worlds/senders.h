// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// What sends, and what counts what arrives.

#pragma once

#include "../ns3/traffic.h"

namespace ns3
{

constexpr uint16_t OUTSIDE = 5004, MULTICAST = 5005;
constexpr double FRAMES_PER_SECOND = 30, PACKETS_PER_PAGE = 30;

/// Sends packets at a mean rate between two times.
class Sender : public Object
{
  public:
    Sender(Ptr<Node> node, Ipv4Address to, uint16_t port, uint32_t payload, uint8_t service = 0)
        : m_socket(Socket::CreateSocket(node, UdpSocketFactory::GetTypeId())),
          m_payload(payload)
    {
        InetSocketAddress peer(to, port);
        peer.SetTos(service);
        m_socket->SetAllowBroadcast(true);
        m_socket->Bind();
        m_socket->Connect(peer);
    }

    void SendAt(double packetsPerSecond, const std::string& arrivals, double from, double to, int64_t stream)
    {
        if (packetsPerSecond <= 0)
        {
            return;
        }
        double atOnce = arrivals == "frames"  ? packetsPerSecond / FRAMES_PER_SECOND
                        : arrivals == "pages" ? PACKETS_PER_PAGE
                                              : m_atOnce;
        double gap = atOnce / packetsPerSecond, phase = 0;
        m_atOnce = std::max<uint32_t>(1, std::lround(atOnce));
        if (arrivals == "slow")
        {
            // A second on the average of twice the rate, and one of silence.
            gap /= 2;
            m_period = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(1));
            m_period->SetStream(stream + 200);
            Simulator::Schedule(Seconds(std::max(0.0, from)), &Sender::Toggle, this);
        }
        if (arrivals != "constant" && arrivals != "frames")
        {
            m_gap = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(gap));
            m_gap->SetStream(stream);
            phase = m_gap->GetValue();
        }
        else
        {
            auto uniform = CreateObjectWithAttributes<UniformRandomVariable>("Max", DoubleValue(gap));
            uniform->SetStream(stream);
            m_gap = CreateObjectWithAttributes<ConstantRandomVariable>("Constant", DoubleValue(gap));
            phase = uniform->GetValue();
        }
        m_to = to;
        m_rampFrom = arrivals == "ramp" ? from : to;
        Simulator::Schedule(Seconds(std::max(0.0, from) + phase), &Sender::Next, this);
    }

    /// Of every twelve packets one is as long as before, four have 576 octets of IP, and seven 40 (a "simple IMIX").
    void Mix(int64_t stream)
    {
        m_kind = CreateObjectWithAttributes<UniformRandomVariable>("Max", DoubleValue(12));
        m_kind->SetStream(stream);
    }

    /// So many packets at once, in place of one.
    void Together(uint32_t packets)
    {
        m_atOnce = packets;
    }

    void KeepFilled(Ptr<WifiMacQueue> queue, uint32_t packets, double from)
    {
        m_queue = queue;
        m_level = packets;
        Simulator::Schedule(Seconds(from), &Sender::Fill, this);
    }

  private:
    void Next()
    {
        if (Simulator::Now().GetSeconds() < m_to)
        {
            for (uint32_t packet = 0; m_sending && packet < m_atOnce; packet++)
            {
                m_socket->Send(Create<Packet>(Length()));
            }
            double now = Simulator::Now().GetSeconds(), ramp = 1;
            if (m_rampFrom < m_to)
            {
                ramp = std::max(0.05, 2 * (now - m_rampFrom) / (m_to - m_rampFrom));
            }
            Simulator::Schedule(Seconds(m_gap->GetValue() / ramp), &Sender::Next, this);
        }
    }

    uint32_t Length()
    {
        double kind = m_kind ? m_kind->GetValue() : 0;
        return kind < 1 ? m_payload : kind < 5 ? 548 : 12;
    }

    void Toggle()
    {
        m_sending = !m_sending;
        Simulator::Schedule(Seconds(m_period->GetValue()), &Sender::Toggle, this);
    }

    void Fill()
    {
        for (uint32_t held = m_queue->GetNPackets(); held < m_level; held++)
        {
            m_socket->Send(Create<Packet>(Length()));
        }
        Simulator::Schedule(MicroSeconds(500), &Sender::Fill, this);
    }

    Ptr<Socket> m_socket;
    uint32_t m_payload, m_level = 0, m_atOnce = 1;
    Ptr<RandomVariableStream> m_gap, m_kind, m_period;
    bool m_sending = true;
    Ptr<WifiMacQueue> m_queue;
    double m_to = 0, m_rampFrom = 0;
};

/// Adds up what each flow delivers, in bins.
class Counter : public Object
{
  public:
    void Listen(Ptr<Node> node, uint16_t port)
    {
        if (m_listening.insert({node->GetId(), port}).second)
        {
            auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
            socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
            socket->SetRecvCallback(MakeCallback(&Counter::Received, this));
            m_sockets.push_back(socket);
        }
    }

    void Connect(Ptr<Node> node, Ptr<Node> to, Ipv4Address address, double start, uint8_t service = 0)
    {
        InetSocketAddress peer(address, BACKGROUND_TCP);
        peer.SetTos(service);
        Accept(to);
        BulkSendHelper sender("ns3::TcpSocketFactory", peer);
        sender.Install(node).Start(Seconds(start));
    }

    void Accept(Ptr<Node> to)
    {
        PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), BACKGROUND_TCP));
        if (m_listening.insert({to->GetId(), BACKGROUND_TCP}).second)
        {
            receiver.Install(to).Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Counter::Segment, this));
        }
    }

    void Write(const std::string& path, double begin, double seconds) const
    {
        const std::map<uint16_t, std::string> names = {
            {LIGHT, "light"}, {SATURATING, "saturating"}, {BACKGROUND, "background"},
            {BACKGROUND_TCP, "background_tcp"}, {OUTSIDE, "outside"}};
        std::ofstream file(path);
        file << "flow,start_ns,window_ns,bytes\n";
        for (const auto& [port, name] : names)
        {
            int64_t first = begin * 1e9;
            for (int64_t start = first; start + BIN_NS <= first + int64_t(seconds * 1e9); start += BIN_NS)
            {
                auto found = m_bytes.find({port, start / BIN_NS});
                file << name << ',' << start << ',' << BIN_NS << ','
                     << (found == m_bytes.end() ? 0 : found->second) << '\n';
            }
        }
    }

  private:
    void Received(Ptr<Socket> socket)
    {
        Address local;
        socket->GetSockName(local);
        while (auto packet = socket->Recv())
        {
            Count(InetSocketAddress::ConvertFrom(local).GetPort(), packet->GetSize() + LLC_IP_UDP);
        }
    }

    void Segment(Ptr<const Packet> packet, const Address&)
    {
        Count(BACKGROUND_TCP, packet->GetSize());
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
