//! How a board comes by its address: DHCP, or a fixed one where nobody answers.

use embassy_futures::select::{Either, select};
use embassy_net::{ConfigV4, DhcpConfig, Ipv4Cidr, Stack, StaticConfigV4};
use embassy_time::{Duration, Timer};

use crate::fmt::{info, warn};

/// How long DHCP may take once a cable is in, and when it is asked again.
const PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_AGAIN: Duration = Duration::from_secs(4);
/// The pause before DHCP is asked again; each is twice as long as the last, and the longest is [`AT_LEAST`].
const AGAIN: Duration = Duration::from_secs(30);
const AT_LEAST: Duration = Duration::from_secs(600);
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

/// Keeps the board's address as planned. After a power cut a router is slower than a board: where nobody answered, DHCP is
/// asked again for ever, less and less often, and only while `is_idle`: without an address nobody can be served meanwhile.
pub async fn keep(stack: Stack<'_>, plan: Plan, is_idle: impl Fn() -> bool) -> ! {
    let (Plan::Fixed(own) | Plan::AskOr(own)) = plan;
    loop {
        stack.wait_link_up().await;
        info!("network: cable in");
        let mut is_settled = matches!(plan, Plan::Fixed(_)) || ask(stack, PATIENCE).await;
        let mut pause = AGAIN;
        if !is_settled || matches!(plan, Plan::Fixed(_)) {
            take(stack, own).await;
        }
        loop {
            let again = async {
                match is_settled {
                    true => core::future::pending().await,
                    false => Timer::after(pause).await,
                }
            };
            if let Either::First(()) = select(stack.wait_link_down(), again).await {
                break;
            }
            if !is_idle() {
                continue;
            }
            is_settled = ask(stack, PATIENCE_AGAIN).await;
            pause = (pause * 2).min(AT_LEAST);
            if !is_settled {
                take(stack, own).await;
            }
        }
        warn!("network: cable out");
    }
}

/// Whether somebody gave an address in that time.
async fn ask(stack: Stack<'_>, patience: Duration) -> bool {
    stack.set_config_v4(leased());
    if let Either::Second(()) = select(stack.wait_config_up(), Timer::after(patience)).await {
        warn!("network: no answer from DHCP");
        return false;
    }
    tell(stack);
    true
}

async fn take(stack: Stack<'_>, address: Ipv4Cidr) {
    stack.set_config_v4(fixed(address));
    stack.wait_config_up().await;
    tell(stack);
}

fn tell(stack: Stack<'_>) {
    if let Some(config) = stack.config_v4() {
        info!("network: address {}", config.address);
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
