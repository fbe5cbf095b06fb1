// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// A station, or an access point, that does not keep to the EDCA parameters that are announced.

#pragma once

#include "causes.h"

#include "ns3/core-module.h"
#include "ns3/wifi-module.h"

namespace ns3
{

/// Sets a station's own EDCA parameters again and again, because it takes over those of each beacon. An access point
/// announces its own: around its beacons it has those that it was given.
class Greedy : public Object
{
  public:
    Greedy(const Causes& causes, AcIndex category, Ptr<WifiMac> mac)
        : m_causes(causes),
          m_mac(mac),
          m_queue(mac->GetQosTxop(category)),
          m_window(m_queue->GetMinCw(0)),
          m_aifsn(m_queue->GetAifsn(0))
    {
        if (causes.greedyAccess)
        {
            mac->SetAttribute("EnableBeaconJitter", BooleanValue(false));
        }
        Simulator::Schedule(Seconds(0.9), &Greedy::Set, this);
    }

  private:
    void Set()
    {
        constexpr int64_t STEP = 500, INTERVAL = 102400; // us
        int64_t phase = Simulator::Now().GetMicroSeconds() % INTERVAL;
        bool announces = m_causes.greedyAccess && (phase < STEP || phase >= INTERVAL - STEP);
        uint32_t window = announces || m_causes.greedyCw < 0 ? m_window : m_causes.greedyCw;
        uint8_t aifsn = announces || m_causes.greedyAifsn == 0 ? m_aifsn : m_causes.greedyAifsn;
        if (m_queue->GetMinCw(0) != window)
        {
            m_queue->SetMinCw(window);
        }
        m_queue->SetAifsn(aifsn);
        if (m_causes.greedyTxop > 0)
        {
            m_queue->SetTxopLimit(MicroSeconds(announces ? 0 : m_causes.greedyTxop));
        }
        Simulator::Schedule(MicroSeconds(STEP), &Greedy::Set, this);
    }

    Causes m_causes;
    Ptr<WifiMac> m_mac;
    Ptr<QosTxop> m_queue;
    uint32_t m_window;
    uint8_t m_aifsn;
};

} // namespace ns3
