//! How a board comes by its address: DHCP, or a fixed one where nobody answers.

use embassy_futures::select::{Either, select};
use embassy_net::{ConfigV4, DhcpConfig, Ipv4Cidr, Stack, StaticConfigV4};
use embassy_time::{Duration, Timer};

use crate::fmt::{info, warn};

/// How long DHCP may take once a cable is in.
const PATIENCE: Duration = Duration::from_secs(10);
/// The name that goes with the question. A router that also answers for names makes it the board's.
#[cfg(feature = "hostname")]
const HOSTNAME: &str = "parlor";

/// What to do about an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// This one, ask nobody.
    Fixed(Ipv4Cidr),
    /// Ask, and take this one when there is no answer.
    AskOr(Ipv4Cidr),
}

/// Keeps the board's address as planned. Asks again whenever a cable is plugged in, so a board that was switched on
/// before its router gets a leased address after one pull of the cable.
pub async fn keep(stack: Stack<'_>, plan: Plan) -> ! {
    loop {
        match plan {
            Plan::Fixed(address) => stack.set_config_v4(fixed(address)),
            Plan::AskOr(_) => stack.set_config_v4(leased()),
        }
        stack.wait_link_up().await;
        info!("network: cable in");
        if let Either::Second(()) = select(stack.wait_config_up(), Timer::after(PATIENCE)).await {
            warn!("network: no answer from DHCP");
            let (Plan::AskOr(address) | Plan::Fixed(address)) = plan;
            stack.set_config_v4(fixed(address));
            stack.wait_config_up().await;
        }
        if let Some(config) = stack.config_v4() {
            info!("network: address {}", config.address);
        }
        stack.wait_link_down().await;
        warn!("network: cable out");
    }
}

fn leased() -> ConfigV4 {
    #[cfg_attr(not(feature = "hostname"), expect(unused_mut, reason = "the name is all that is not as usual"))]
    let mut dhcp = DhcpConfig::default();
    // embassy-net has room for 32 bytes of name.
    #[cfg(feature = "hostname")]
    {
        dhcp.hostname = HOSTNAME.try_into().ok();
    }
    ConfigV4::Dhcp(dhcp)
}

/// Nobody is called from a board, so it needs neither router nor name server.
fn fixed(address: Ipv4Cidr) -> ConfigV4 {
    ConfigV4::Static(StaticConfigV4 { address, gateway: None, dns_servers: Default::default() })
}

#[cfg(all(test, feature = "hostname"))]
mod tests {
    use super::*;

    #[test]
    fn the_name_fits() {
        let ConfigV4::Dhcp(dhcp) = leased() else { panic!("asks nobody") };
        assert_eq!(dhcp.hostname.as_deref(), Some("parlor"));
    }
}
