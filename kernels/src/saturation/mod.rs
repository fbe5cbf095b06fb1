//! The numerical part of the `saturation` estimator: Bianchi's fixed point ([`bianchi`], with [`table`] for record
//! batches) and a Monte-Carlo simulation of DCF for what the fixed point leaves out ([`dcf_monte_carlo`]).

pub mod bianchi;
pub mod dcf_monte_carlo;
pub mod table;

/// CWmax+1 (9.4.2.28, 17.4.4).
const WINDOW_MAX: f64 = (winf_ieee80211::MAX_CW + 1) as f64;

/// CWmin+1 below which a category is voice or video: half of aCWmin+1 of OFDM (17.4.4) is that of video, and a mean of
/// several links may be a little more.
const PRIORITY_WINDOW: f64 = 12.0;

/// CWmax+1 of a station whose CWmin+1 is `window`: voice and video double it once (9.4.2.28). So they come again at once
/// where they collide or are not heard, while others wait longer and longer.
fn window_max(window: f64) -> f64 {
    if window < PRIORITY_WINDOW {
        2.0 * window
    } else {
        WINDOW_MAX
    }
}

/// Attempts of a packet without response after which it is discarded.
const SHORT_RETRY_LIMIT: usize = winf_ieee80211::SHORT_RETRY_LIMIT as usize;
