// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// Losses on single paths: weak, weaker and weaker, cut at times, cut in turn; and frames of one station that are lost.

#pragma once

#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/wifi-module.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ns3
{

constexpr int64_t LOSSY_STREAM = 3010;

/// Cuts the paths from a station to the access points of one network in turn.
class TurningPaths : public PropagationLossModel
{
  public:
    TurningPaths(double turn, NodeContainer accessPoints, Ptr<Node> station)
        : m_turn(turn),
          m_station(station->GetObject<MobilityModel>())
    {
        for (uint32_t i = 0; i < accessPoints.GetN(); i++)
        {
            m_places.push_back(accessPoints.Get(i)->GetObject<MobilityModel>());
        }
    }

  private:
    double DoCalcRxPower(double dbm, Ptr<MobilityModel> from, Ptr<MobilityModel> to) const override
    {
        auto other = from == m_station ? to : to == m_station ? from : nullptr;
        auto place = std::find(m_places.begin(), m_places.end(), other);
        if (place == m_places.end())
        {
            return dbm;
        }
        auto turn = static_cast<std::size_t>(Simulator::Now().GetSeconds() / m_turn) % m_places.size();
        return turn == static_cast<std::size_t>(place - m_places.begin()) ? dbm : -300;
    }

    int64_t DoAssignStreams(int64_t) override
    {
        return 0;
    }

    double m_turn;
    Ptr<MobilityModel> m_station;
    std::vector<Ptr<MobilityModel>> m_places;
};

/// Weakens the path between two nodes by a constant, and cuts it for the end of each period after the first second.
class WeakPath : public PropagationLossModel
{
  public:
    WeakPath(double loss, double outage, Ptr<Node> one, Ptr<Node> other, double period = 1)
        : m_loss(loss),
          m_outage(outage),
          m_period(period),
          m_one(one->GetObject<MobilityModel>()),
          m_other(other->GetObject<MobilityModel>())
    {
    }

    bool IsCut() const
    {
        double now = Simulator::Now().GetSeconds();
        return now >= 1 && std::fmod(now, m_period) >= (1 - m_outage) * m_period;
    }

  private:
    double DoCalcRxPower(double dbm, Ptr<MobilityModel> from, Ptr<MobilityModel> to) const override
    {
        if ((from != m_one || to != m_other) && (from != m_other || to != m_one))
        {
            return dbm;
        }
        return IsCut() ? -300 : dbm - m_loss;
    }

    int64_t DoAssignStreams(int64_t) override
    {
        return 0;
    }

    double m_loss;
    double m_outage;
    double m_period;
    Ptr<MobilityModel> m_one;
    Ptr<MobilityModel> m_other;
};

/// The paths of a station that walks away at a constant speed after the first second: indoors, where power falls with
/// the distance to the 3.5 (ITU-R P.1238 has 28 to 35 dB per decade), by so many dB until the end.
class LeavingPaths : public PropagationLossModel
{
  public:
    LeavingPaths(double loss, double seconds, Ptr<Node> station)
        : m_farther(std::pow(10, loss / DECADE) - 1),
          m_seconds(seconds),
          m_station(station->GetObject<MobilityModel>())
    {
    }

  private:
    static constexpr double DECADE = 35; // dB

    double DoCalcRxPower(double dbm, Ptr<MobilityModel> from, Ptr<MobilityModel> to) const override
    {
        if (from != m_station && to != m_station)
        {
            return dbm;
        }
        double walked = std::clamp((Simulator::Now().GetSeconds() - 1) / m_seconds, 0.0, 1.0);
        return dbm - DECADE * std::log10(1 + m_farther * walked);
    }

    int64_t DoAssignStreams(int64_t) override
    {
        return 0;
    }

    double m_farther;
    double m_seconds;
    Ptr<MobilityModel> m_station;
};

/// Puts a loss behind those that a channel has.
inline void
Weaken(Ptr<Channel> medium, Ptr<PropagationLossModel> path)
{
    PointerValue value;
    medium->GetAttribute("PropagationLossModel", value);
    auto last = value.Get<PropagationLossModel>();
    while (last->GetNext())
    {
        last = last->GetNext();
    }
    last->SetNext(path);
}

/// Loses data frames that one station sends, each with the same chance, at the receiver that has this model.
class LossySender : public ErrorModel
{
  public:
    LossySender(Mac48Address sender, double chance)
        : m_sender(sender),
          m_chance(chance),
          m_random(CreateObject<UniformRandomVariable>())
    {
        m_random->SetStream(LOSSY_STREAM);
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        WifiMacHeader header;
        packet->PeekHeader(header);
        return header.IsData() && header.GetAddr2() == m_sender && m_random->GetValue() < m_chance;
    }

    void DoReset() override
    {
    }

    Mac48Address m_sender;
    double m_chance;
    Ptr<UniformRandomVariable> m_random;
};

} // namespace ns3
