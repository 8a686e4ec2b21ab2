//! A network for a test, in a namespace that nobody else is in: servers in namespaces of their own, each with one cable for
//! its clients and one for the other servers. A cable that is pulled loses what is sent and says nothing, as a partition does.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Addresses begin so; the server of the place 0 has the number 1 in both, the test the number 254.
pub const CLIENTS: [u8; 3] = [10, 77, 0];
pub const ROUTES: [u8; 3] = [10, 78, 0];

/// Set in the process that is inside.
const INSIDE: &str = "PARLOR_TEST_NETWORK";

/// Runs this test again in a network of its own, as root or as somebody who may be root there; `false`: this process is
/// inside, and the test is to go on.
pub fn within(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        run("ip link set dev lo up");
        return false;
    }
    let unshare = |program: &Path, arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--net", "--map-root-user"]).arg(program).args(arguments).env(INSIDE, "1");
        command.status()
    };
    if !unshare(Path::new("true"), &[]).is_ok_and(|status| status.success()) {
        println!("not checked: no network can be made here (unshare --net --map-root-user)");
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let status = unshare(&program, &["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]).unwrap();
    assert!(status.success(), "{test} failed in its network");
    true
}

fn run(line: &str) {
    let mut words = line.split(' ');
    let status = Command::new(words.next().unwrap()).args(words).status().expect("iproute2 and util-linux");
    assert!(status.success(), "{line}: {status}");
}

pub struct Network {
    /// Each keeps a namespace.
    holders: Vec<Child>,
}

impl Network {
    /// For so many servers.
    pub fn new(count: usize) -> Self {
        let dotted = |net: [u8; 3]| net.map(|number| number.to_string()).join(".");
        for (bridge, net) in [("clients", CLIENTS), ("routes", ROUTES)] {
            run(&format!("ip link add name {bridge} type bridge"));
            run(&format!("ip addr add {}.254/24 dev {bridge}", dotted(net)));
            run(&format!("ip link set dev {bridge} up"));
        }
        let holders: Vec<Child> = (0..count).map(|_| hold()).collect();
        for (at, holder) in holders.iter().enumerate() {
            let (pid, number) = (holder.id(), at + 1);
            for (bridge, net) in [("clients", CLIENTS), ("routes", ROUTES)] {
                let (near, far) = (format!("{bridge}{at}"), format!("to-{bridge}"));
                run(&format!("ip link add name {near} type veth peer name {far} netns {pid}"));
                run(&format!("ip link set dev {near} master {bridge} up"));
                let inside = format!("nsenter --net=/proc/{pid}/ns/net");
                run(&format!("{inside} ip addr add {}.{number}/24 dev {far}", dotted(net)));
                run(&format!("{inside} ip link set dev {far} up"));
                run(&format!("{inside} ip link set dev lo up"));
            }
        }
        Self { holders }
    }

    /// A program in a server's network.
    pub fn command(&self, at: usize, program: &Path) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/proc/{}/ns/net", self.holders[at].id())).arg(program);
        command
    }

    /// The same program there, with its arguments and its environment.
    pub fn enter(&self, at: usize, program: &Command) -> Command {
        let mut command = self.command(at, Path::new(program.get_program()));
        command.args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = program.get_current_dir() {
            command.current_dir(folder);
        }
        command
    }

    /// Pulls a machine's cables: whatever it had open stays open, and nobody hears of it again.
    pub fn unplug(&self, at: usize) {
        for bridge in ["clients", "routes"] {
            run(&format!("ip link set dev {bridge}{at} down"));
        }
    }

    /// Pulls the cable between a server and the others, or plugs it in.
    pub fn cut(&self, at: usize, is_cut: bool) {
        run(&format!("ip link set dev routes{at} {}", if is_cut { "down" } else { "up" }));
    }
}

/// A process in a namespace of its own that does nothing.
fn hold() -> Child {
    let own = std::fs::read_link("/proc/self/ns/net").unwrap();
    let child = Command::new("unshare").args(["--net", "sleep", "3600"]).stdin(Stdio::null()).spawn().unwrap();
    // Until it is there.
    while std::fs::read_link(format!("/proc/{}/ns/net", child.id())).is_ok_and(|of| of == own) {
        std::thread::yield_now();
    }
    child
}

impl Drop for Network {
    fn drop(&mut self) {
        for holder in &mut self.holders {
            let _ = holder.kill();
            let _ = holder.wait();
        }
    }
}
