//! How a board comes by its address: DHCP, or one of its own choice where no server answers.

use embassy_futures::select::{Either, select};
use embassy_net::{
    ConfigV4, DhcpConfig, EthernetAddress, HardwareAddress, Ipv4Address, Ipv4Cidr, Stack, StaticConfigV4,
};
use embassy_time::{Duration, Instant, Timer};

use crate::backlog::Claim;
use crate::fmt::{info, warn};
use crate::link_local::{self, ANNOUNCE_PAUSE, ANNOUNCEMENTS, CONFLICT_PAUSE, MANY_CONFLICTS, PROBE_PAUSE, PROBES};

/// How long DHCP may take once a cable is in, and when it is asked again.
const PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_AGAIN: Duration = Duration::from_secs(4);
/// The pause before DHCP is asked again; each is twice as long as the last, and the longest is [`AT_LEAST`].
const AGAIN: Duration = Duration::from_secs(30);
const AT_LEAST: Duration = Duration::from_secs(600);
/// How often a dispute over a chosen address is looked for.
const LOOK: Duration = Duration::from_secs(1);
/// What is found at the address.
pub trait Dweller {
    /// No client is connected: the address can be done without for a while.
    fn is_idle(&self) -> bool {
        true
    }
    /// What it is called, as a router is told.
    #[cfg(feature = "hostname")]
    fn with_name<R>(&self, see: impl FnOnce(&str) -> R) -> R {
        see("parlor")
    }
}

/// A board without games.
impl Dweller for () {}

/// What to do about an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// This one, without asking.
    Fixed(Ipv4Cidr),
    /// Ask, and choose one when there is no answer.
    Ask,
}

/// Keeps the board's address as planned. After a power cut a router is slower than a board: where no server answered,
/// DHCP is asked again for ever, ever less often, and only while no client is connected: that needs the address.
pub async fn keep(stack: Stack<'_>, plan: Plan, claim: &Claim, dweller: &impl Dweller) -> ! {
    loop {
        stack.wait_link_up().await;
        info!("network: cable in");
        match plan {
            Plan::Fixed(own) => {
                take(stack, own).await;
                stack.wait_link_down().await;
            }
            Plan::Ask => {
                let _ = select(stack.wait_link_down(), ask_for_ever(stack, claim, dweller)).await;
            }
        }
        claim.set(None);
        warn!("network: cable out");
    }
}

async fn ask_for_ever(stack: Stack<'_>, claim: &Claim, dweller: &impl Dweller) {
    let mut pause = AGAIN;
    let mut is_settled = ask(stack, dweller, PATIENCE).await;
    let mut nth = 0;
    while !is_settled {
        is_settled = choose(stack, claim, &mut nth).await;
        let again = Instant::now() + pause;
        pause = (pause * 2).min(AT_LEAST);
        while !is_settled && (Instant::now() < again || !dweller.is_idle()) {
            Timer::after(LOOK).await;
            if claim.take_dispute() {
                warn!("network: somebody else has this address");
                nth += 1;
                is_settled = choose(stack, claim, &mut nth).await;
            }
        }
        claim.set(None);
        is_settled = is_settled || ask(stack, dweller, PATIENCE_AGAIN).await;
    }
    core::future::pending().await
}

/// Takes the first address from the `nth` choice on that no host disputes. Whether a server gave one meanwhile: DHCP is
/// asked all the time.
async fn choose(stack: Stack<'_>, claim: &Claim, nth: &mut u16) -> bool {
    let HardwareAddress::Ethernet(EthernetAddress(hardware)) = stack.hardware_address();
    loop {
        let address = link_local::choice(hardware, *nth);
        claim.set(Some((hardware, address)));
        for _ in 0..PROBES {
            claim.send(false);
            Timer::after(PROBE_PAUSE).await;
        }
        if stack.config_v4().is_some_and(|config| !config.address.address().is_link_local()) {
            tell(stack);
            return true;
        }
        if !claim.take_dispute() {
            let [a, b, c, d] = address;
            take(stack, Ipv4Cidr::new(Ipv4Address::new(a, b, c, d), 16)).await;
            for _ in 0..ANNOUNCEMENTS {
                claim.send(true);
                Timer::after(ANNOUNCE_PAUSE).await;
            }
            return false;
        }
        *nth = nth.wrapping_add(1);
        if *nth > MANY_CONFLICTS {
            Timer::after(CONFLICT_PAUSE).await;
        }
    }
}

/// Whether a server gave an address in that time.
async fn ask(stack: Stack<'_>, dweller: &impl Dweller, patience: Duration) -> bool {
    stack.set_config_v4(leased(dweller));
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

fn leased(_dweller: &impl Dweller) -> ConfigV4 {
    #[cfg_attr(not(feature = "hostname"), expect(unused_mut, reason = "the name is all that is not as usual"))]
    let mut dhcp = DhcpConfig::default();
    // embassy-net has room for 32 bytes of name.
    #[cfg(feature = "hostname")]
    {
        dhcp.hostname = _dweller.with_name(|name| name.try_into().ok());
    }
    ConfigV4::Dhcp(dhcp)
}

/// A board calls no one, so it needs neither router nor name server.
fn fixed(address: Ipv4Cidr) -> ConfigV4 {
    ConfigV4::Static(StaticConfigV4 { address, gateway: None, dns_servers: Default::default() })
}

#[cfg(all(test, feature = "hostname"))]
mod tests {
    use super::*;

    #[test]
    fn the_name_fits() {
        let ConfigV4::Dhcp(dhcp) = leased(&crate::shared::Shared::new()) else { panic!("asks nobody") };
        assert_eq!(dhcp.hostname.as_deref(), Some("parlor"));
    }
}
