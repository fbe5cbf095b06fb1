//! The channel of a BSS as its beacons and probe responses announce it.

/// Where channels of 6 GHz begin, MHz.
pub(super) const FIRST_6GHZ_MHZ: u16 = 5925;
/// Channel numbers are in steps of this, MHz.
const STEP_MHZ: u16 = 5;
/// Distance of the centres of two 80 MHz segments that are neighbours: one channel of 160 MHz.
const SEGMENT_MHZ: u16 = 80;

/// The channel of a BSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatingChannel {
    /// Centre of the primary 20 MHz channel, MHz.
    pub primary_mhz: u16,
    /// Width and centres; `None` if the elements that tell it were not captured, or contradict one another.
    pub span: Option<Span>,
}

/// Width and position of the channel of a BSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// 20, 40, 80, 160 or 320 MHz, both segments together.
    pub width_mhz: u16,
    /// Centre, MHz; of 80+80 MHz that of the segment with the primary channel.
    pub centre_mhz: u16,
    /// Centre of the other segment of 80+80 MHz.
    pub second_centre_mhz: Option<u16>,
}

/// What the elements of a beacon say of the channel. `None`: there is no such element, or it was not captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnnouncedChannel {
    /// Current Channel of the DSSS Parameter Set element (IEEE 802.11-2020, 9.4.2.3).
    pub dsss: Option<u8>,
    /// HT Operation element.
    pub ht: Option<HtOperation>,
    /// VHT Operation element, or the same fields in the HE Operation element.
    pub vht: Option<WideOperation>,
    /// 6 GHz Operation Information of the HE Operation element, with its primary channel.
    pub he_6ghz: Option<(u8, WideOperation)>,
    /// EHT Operation Information.
    pub eht: Option<WideOperation>,
    /// Elements are missing or damaged: a channel may be wider than the others say.
    pub incomplete: bool,
}

/// The fields of the HT Operation element that tell the channel (9.4.2.56).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HtOperation {
    /// Primary Channel.
    pub primary: u8,
    /// Secondary Channel Offset: 0 none, 1 above, 3 below.
    pub offset: u8,
    /// STA Channel Width: more than 20 MHz.
    pub wide: bool,
    /// Channel Center Frequency Segment 2: that of VHT Operation's segment 1, where that is 0.
    pub segment_2: u8,
}

/// Channel Width and the two Channel Center Frequency Segments of the elements of wider PHYs; each codes them its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WideOperation {
    /// Channel Width.
    pub width: u8,
    /// Channel Center Frequency Segments 0 and 1, channel numbers.
    pub segments: [u8; 2],
}

impl AnnouncedChannel {
    /// The channel that the elements describe.
    ///
    /// The primary channel is that of the 6 GHz Operation Information, else of HT Operation, which each STA that knows the
    /// element goes by, else of the DSSS Parameter Set. Where the latter two name different ones, that on which the
    /// frame was received is meant, and without such a sign neither is taken.
    /// The width is that of the element of the latest PHY (table 11-23 of IEEE 802.11-2020, 11.38.1; 802.11ax-2021,
    /// 26.17.2; 802.11be-2024, 35.15.1), if each wider channel holds the narrower one; else it is unknown.
    ///
    /// `received_mhz` is the channel on which the frame was received.
    pub fn channel(&self, received_mhz: Option<u16>) -> Option<OperatingChannel> {
        if let Some((number, operation)) = self.he_6ghz {
            let primary_mhz = mhz_of_6ghz(number)?;
            let span = self.wider(Span::narrow(primary_mhz), primary_mhz, |base, _| operation.in_6ghz(base));
            return Some(OperatingChannel { primary_mhz, span });
        }
        let by_dsss = self.dsss.and_then(mhz_below_6ghz);
        let by_ht = self.ht.and_then(|ht| mhz_below_6ghz(ht.primary));
        let primary_mhz = match (by_ht, by_dsss) {
            (Some(ht), Some(dsss)) if ht != dsss => received_mhz.filter(|mhz| [ht, dsss].contains(mhz))?,
            (ht, dsss) => ht.or(dsss)?,
        };
        let agrees = self.ht.is_none() || by_ht == Some(primary_mhz);
        let ht = self.ht.filter(|_| agrees);
        let base = ht.map_or(Some(Span::narrow(primary_mhz)), |ht| ht.span(primary_mhz));
        let vht = |base: Span, base_mhz| match self.vht.filter(|operation| operation.width > 0) {
            None => Some(base),
            // A VHT BSS of 80 MHz and more says so in HT Operation as well (table 11-23).
            Some(operation) => ht.filter(|ht| ht.wide)?.widened(operation, base_mhz),
        };
        let span = base.filter(|_| agrees).and_then(|base| self.wider(base, primary_mhz, vht));
        Some(OperatingChannel { primary_mhz, span })
    }

    /// `base` widened by an element, and by that of EHT; `None` where one does not hold the one before.
    fn wider(&self, base: Span, primary_mhz: u16, by: impl Fn(Span, u16) -> Option<Span>) -> Option<Span> {
        let before_eht = by(base, primary_mhz).filter(|wider| wider.holds(base) && wider.is_on_grid(primary_mhz))?;
        let widest = match self.eht {
            None => before_eht,
            Some(operation) => operation.of_eht(primary_mhz).filter(|wider| wider.holds(before_eht))?,
        };
        Some(widest).filter(|span| !self.incomplete && span.is_on_grid(primary_mhz))
    }
}

impl HtOperation {
    fn span(self, primary_mhz: u16) -> Option<Span> {
        let centre_mhz = match (self.wide, self.offset) {
            (false, _) | (true, 0) => return Some(Span::narrow(primary_mhz)),
            (true, 1) => primary_mhz + 10,
            (true, 3) => primary_mhz - 10,
            (true, _) => return None,
        };
        Some(Span { width_mhz: 40, centre_mhz, second_centre_mhz: None })
    }

    /// Table 9-274 of IEEE 802.11-2020: one coding for all widths, and one for each that is deprecated.
    fn widened(self, operation: WideOperation, primary_mhz: u16) -> Option<Span> {
        let WideOperation { width, segments: [first, second] } = operation;
        let second = if second == 0 && width == 1 { self.segment_2 } else { second };
        let mhz = |number| near(primary_mhz, number);
        match width {
            1 if second == 0 => Span::one(80, mhz(first)),
            1 => Span::of_segments(mhz(first)?, mhz(second)?),
            2 => Span::one(160, mhz(first)),
            3 => Span::of_segments(mhz(first)?, mhz(second)?).filter(|span| span.second_centre_mhz.is_some()),
            _ => None,
        }
    }
}

impl WideOperation {
    /// 6 GHz Operation Information (802.11ax-2021, 9.4.2.249).
    fn in_6ghz(self, base: Span) -> Option<Span> {
        let [first, second] = self.segments;
        match self.width {
            0 => Some(base),
            1 => Span::one(40, mhz_of_6ghz(first)),
            2 => Span::one(80, mhz_of_6ghz(first)),
            3 => Span::of_segments(mhz_of_6ghz(first)?, mhz_of_6ghz(second)?),
            _ => None,
        }
    }

    /// EHT Operation Information (802.11be-2024, 9.4.2.321): from 160 MHz on segment 1 is the centre of the channel.
    fn of_eht(self, primary_mhz: u16) -> Option<Span> {
        let [first, second] = self.segments;
        let (width_mhz, number) = match self.width {
            0 => (20, first),
            1 => (40, first),
            2 => (80, first),
            3 => (160, second),
            4 => (320, second),
            _ => return None,
        };
        Span::one(width_mhz, near(primary_mhz, number))
    }
}

impl Span {
    const fn narrow(primary_mhz: u16) -> Span {
        Span { width_mhz: 20, centre_mhz: primary_mhz, second_centre_mhz: None }
    }

    fn one(width_mhz: u16, centre_mhz: Option<u16>) -> Option<Span> {
        Some(Span { width_mhz, centre_mhz: centre_mhz?, second_centre_mhz: None })
    }

    /// Two segments of 80 MHz: the second number is the centre of both where they are neighbours.
    fn of_segments(first_mhz: u16, second_mhz: u16) -> Option<Span> {
        let apart = first_mhz.abs_diff(second_mhz);
        match apart {
            _ if apart == SEGMENT_MHZ / 2 => Span::one(160, Some(second_mhz)),
            _ if apart > SEGMENT_MHZ => {
                Some(Span { width_mhz: 160, centre_mhz: first_mhz, second_centre_mhz: Some(second_mhz) })
            }
            _ => None,
        }
    }

    /// Width of the segment with the primary channel, MHz.
    const fn segment_mhz(self) -> u16 {
        if self.second_centre_mhz.is_some() {
            SEGMENT_MHZ
        } else {
            self.width_mhz
        }
    }

    /// True if another channel lies within this one.
    fn holds(self, other: Span) -> bool {
        let room = self.segment_mhz().checked_sub(other.segment_mhz());
        room.is_some_and(|room| 2 * self.centre_mhz.abs_diff(other.centre_mhz) <= room)
            && (other.second_centre_mhz.is_none() || other == self)
    }

    /// True if the primary channel is one of the 20 MHz channels that make up this one.
    fn is_on_grid(self, primary_mhz: u16) -> bool {
        let lowest = self.centre_mhz - self.segment_mhz() / 2 + 10;
        primary_mhz.checked_sub(lowest).is_some_and(|above| above % 20 == 0 && above < self.segment_mhz())
    }
}

/// Centre of a 20 MHz channel of 2.4 or 5 GHz, MHz (IEEE 802.11-2020, 15.4.4.2 and annex E).
pub(super) fn mhz_below_6ghz(number: u8) -> Option<u16> {
    let number = u16::from(number);
    match number {
        1..=13 => Some(2407 + STEP_MHZ * number),
        14 => Some(2484),
        34..=177 => Some(5000 + STEP_MHZ * number),
        183..=196 => Some(4000 + STEP_MHZ * number),
        _ => None,
    }
}

/// The same of 6 GHz; channel 2 of operating class 136 is at 5935 MHz and has no wider ones.
pub(super) fn mhz_of_6ghz(number: u8) -> Option<u16> {
    (1..=233).contains(&number).then(|| 5950 + STEP_MHZ * u16::from(number))
}

/// The centre with this number in the band of the primary channel.
fn near(primary_mhz: u16, number: u8) -> Option<u16> {
    let number = u16::from(number);
    let start_mhz = match primary_mhz {
        ..2484 => 2407,
        4900..5000 => 4000,
        5000..FIRST_6GHZ_MHZ => 5000,
        FIRST_6GHZ_MHZ.. => 5950,
        _ => return None,
    };
    (number > 0).then_some(start_mhz + STEP_MHZ * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HT40_ABOVE: HtOperation = HtOperation { primary: 36, offset: 1, wide: true, segment_2: 0 };

    fn wide(width: u8, segments: [u8; 2]) -> Option<WideOperation> {
        Some(WideOperation { width, segments })
    }

    fn vht(width: u8, segments: [u8; 2]) -> AnnouncedChannel {
        AnnouncedChannel { ht: Some(HT40_ABOVE), vht: wide(width, segments), ..Default::default() }
    }

    /// Primary channel, width, centre and second centre; 0: unknown.
    fn told(announced: AnnouncedChannel) -> (u16, u16, u16, u16) {
        let Some(channel) = announced.channel(None) else { return (0, 0, 0, 0) };
        let (width, centre, second) =
            channel.span.map_or((0, 0, 0), |s| (s.width_mhz, s.centre_mhz, s.second_centre_mhz.unwrap_or(0)));
        (channel.primary_mhz, width, centre, second)
    }

    #[test]
    fn a_dsss_parameter_set_alone_is_a_channel_of_20_mhz() {
        let on = |number| told(AnnouncedChannel { dsss: Some(number), ..Default::default() });
        assert_eq!([on(1), on(13), on(14)].map(|told| told.0), [2412, 2472, 2484]);
        assert_eq!((on(36), on(184)), ((5180, 20, 5180, 0), (4920, 20, 4920, 0)));
        assert_eq!([on(0), on(15), on(33), on(178), on(255)].map(|told| told.0), [0; 5]);
        assert_eq!(told(AnnouncedChannel { dsss: Some(6), incomplete: true, ..Default::default() }), (2437, 0, 0, 0));
    }

    #[test]
    fn ht_operation_tells_where_the_secondary_channel_is() {
        let ht = |offset, wide| {
            let ht = Some(HtOperation { primary: 40, offset, wide, segment_2: 0 });
            told(AnnouncedChannel { ht, ..Default::default() })
        };
        assert_eq!((ht(1, true), ht(3, true)), ((5200, 40, 5210, 0), (5200, 40, 5190, 0)));
        assert_eq!((ht(0, true), ht(3, false)), ((5200, 20, 5200, 0), (5200, 20, 5200, 0)));
        assert_eq!(ht(2, true), (5200, 0, 0, 0), "reserved");
    }

    #[test]
    fn vht_operation_has_one_coding_for_all_widths_and_deprecated_ones() {
        assert_eq!(told(vht(0, [0, 0])), (5180, 40, 5190, 0));
        assert_eq!(told(vht(1, [42, 0])), (5180, 80, 5210, 0));
        assert_eq!((told(vht(1, [42, 50])), told(vht(2, [50, 0]))), ((5180, 160, 5250, 0), (5180, 160, 5250, 0)));
        assert_eq!(
            (told(vht(1, [42, 155])), told(vht(3, [42, 155]))),
            ((5180, 160, 5210, 5775), (5180, 160, 5210, 5775))
        );
        let by_ht = AnnouncedChannel { ht: Some(HtOperation { segment_2: 50, ..HT40_ABOVE }), ..vht(1, [42, 0]) };
        assert_eq!(told(by_ht), (5180, 160, 5250, 0));
    }

    #[test]
    fn what_does_not_hold_the_narrower_channel_leaves_the_width_open() {
        for (width, segments) in
            [(1, [58, 0]), (1, [41, 0]), (1, [42, 58]), (1, [0, 0]), (2, [114, 0]), (3, [42, 50]), (9, [42, 0])]
        {
            assert_eq!(told(vht(width, segments)), (5180, 0, 0, 0), "{width} {segments:?}");
        }
        let narrow = Some(HtOperation { wide: false, ..HT40_ABOVE });
        assert_eq!(told(AnnouncedChannel { ht: narrow, ..vht(1, [42, 0]) }), (5180, 0, 0, 0), "not in table 11-23");
        assert_eq!(told(AnnouncedChannel { ht: None, dsss: Some(36), ..vht(1, [42, 0]) }), (5180, 0, 0, 0));
    }

    #[test]
    fn of_two_primary_channels_the_one_it_was_received_on_is_meant() {
        let both = AnnouncedChannel { dsss: Some(40), ..vht(1, [42, 0]) };
        let at = |mhz| both.channel(mhz).map(|channel| (channel.primary_mhz, channel.span.map(|span| span.width_mhz)));
        assert_eq!(at(Some(5180)), Some((5180, Some(80))));
        assert_eq!(at(Some(5200)), Some((5200, None)), "HT Operation is of another channel");
        assert_eq!((at(None), at(Some(5220))), (None, None));
        let alike = AnnouncedChannel { dsss: Some(36), ..both };
        assert_eq!(alike.channel(Some(5220)).map(|channel| channel.primary_mhz), Some(5180), "heard on another one");
        // Of a recorder that hops the radiotap header may name the channel that it goes to.
        assert_eq!(alike.channel(Some(2437)).map(|channel| channel.primary_mhz), Some(5180));
    }

    #[test]
    fn at_6_ghz_the_he_operation_element_tells_all() {
        let of = |number, width, segments| {
            told(AnnouncedChannel { he_6ghz: wide(width, segments).map(|wide| (number, wide)), ..Default::default() })
        };
        assert_eq!((of(5, 0, [5, 0]), of(5, 1, [3, 0])), ((5975, 20, 5975, 0), (5975, 40, 5965, 0)));
        assert_eq!((of(5, 2, [7, 0]), of(5, 3, [7, 15])), ((5975, 80, 5985, 0), (5975, 160, 6025, 0)));
        assert_eq!((of(37, 3, [39, 71]), of(37, 3, [39, 0])), ((6135, 160, 6145, 6305), (6135, 0, 0, 0)));
        assert_eq!((of(0, 0, [0, 0]), of(234, 0, [0, 0])), ((0, 0, 0, 0), (0, 0, 0, 0)));
    }

    #[test]
    fn eht_operation_is_the_widest() {
        let he_6ghz = wide(3, [39, 47]).map(|wide| (37, wide));
        let eht =
            |width, segments| told(AnnouncedChannel { he_6ghz, eht: wide(width, segments), ..Default::default() });
        assert_eq!((eht(3, [39, 47]), eht(4, [47, 63])), ((6135, 160, 6185, 0), (6135, 320, 6265, 0)));
        assert_eq!(
            (eht(2, [39, 0]), eht(4, [47, 95]), eht(7, [47, 63])),
            ((6135, 0, 0, 0), (6135, 0, 0, 0), (6135, 0, 0, 0))
        );
        let below = AnnouncedChannel { eht: wide(3, [42, 50]), ..vht(1, [42, 0]) };
        assert_eq!(told(below), (5180, 160, 5250, 0));
    }

    #[test]
    fn numbers_of_any_value_are_read() {
        for number in 0..=255 {
            for second in [0, 8, 50, 255] {
                for width in 0..=5 {
                    let wide = wide(width, [number, second]);
                    let ht = Some(HtOperation { primary: second, offset: width, wide: true, segment_2: number });
                    let he_6ghz = wide.map(|wide| (second, wide)).filter(|_| width % 2 == 0);
                    let all =
                        AnnouncedChannel { dsss: Some(number), ht, vht: wide, he_6ghz, eht: wide, incomplete: false };
                    all.channel(Some(5180));
                    all.channel(None);
                }
            }
        }
    }
}
