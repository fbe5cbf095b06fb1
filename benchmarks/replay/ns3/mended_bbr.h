// SPDX-License-Identifier: GPL-2.0-only
//
// This program is free software; you can redistribute it and/or modify it under the terms of the
// GNU General Public License version 2 as published by the Free Software Foundation. It is
// distributed without any warranty. It links ns-3, which is under the same licence.

// BBR of ns-3.37 with correct samples of the delivery rate.
//
// ns-3.37 measures the time in which a sample was delivered from the start of the sample before it, and where that
// was invalid from the start of the simulation (nsnam issue 1026, mended in ns-3.42). BBR's rate then falls with the
// time that has passed, from the first ProbeRTT on, or from the start where every second segment is acknowledged.

#pragma once

#include "ns3/internet-module.h"

#include <algorithm>

namespace ns3
{

/// TcpBbr, which is told each sample with the time since the delivery that the sample begins with.
class MendedTcpBbr : public TcpBbr
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::MendedTcpBbr").SetParent<TcpBbr>().AddConstructor<MendedTcpBbr>();
        return tid;
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<MendedTcpBbr>(this);
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const TcpRateOps::TcpRateConnection& rc,
                     const TcpRateOps::TcpRateSample& rs) override
    {
        TcpRateOps::TcpRateSample sample = rs;
        // Where ns-3 found a sample invalid it has forgotten when it began.
        if (rs.m_priorTime.IsZero())
        {
            sample.m_priorTime = m_priorTime;
        }
        m_priorTime = sample.m_priorTime;
        sample.m_delivered = static_cast<int32_t>(rc.m_delivered - rs.m_priorDelivered);
        sample.m_ackElapsed = rc.m_deliveredTime - sample.m_priorTime;
        sample.m_interval = std::max(sample.m_sendElapsed, sample.m_ackElapsed);
        const bool valid = !sample.m_priorTime.IsZero() && sample.m_delivered > 0 && !sample.m_interval.IsZero() &&
                           sample.m_interval >= tcb->m_minRtt;
        sample.m_deliveryRate = valid ? DataRate(sample.m_delivered * 8.0 / sample.m_interval.GetSeconds()) : DataRate(0);
        if (!valid)
        {
            sample.m_delivered = -1;
            sample.m_interval = Seconds(0);
        }
        TcpBbr::CongControl(tcb, rc, sample);
    }

  private:
    /// Of the last sample.
    Time m_priorTime;
};

NS_OBJECT_ENSURE_REGISTERED(MendedTcpBbr);

} // namespace ns3
