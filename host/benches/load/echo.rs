//! The limit: as many bytes in and out as the server in question, and nothing in between. The same runtime as the
//! program's, for what is compared is the work on a message.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::Process;
use crate::waves::Caller;

/// The first argument that makes this program serve so.
pub const WORD: &str = "--echo";

pub fn start() -> (Process, SocketAddr) {
    let own = std::env::current_exe().expect("a path");
    let (process, line) = Process::start(own.to_str().expect("a path"), &[WORD]);
    (process, line.trim().parse().expect("an address"))
}

/// Serves for ever. A connection first says how long its questions and answers are.
pub fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("an address"));
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                stream.set_nodelay(true)?;
                let question = stream.read_u32().await? as usize;
                let answer = vec![0; stream.read_u32().await? as usize];
                let (mut room, mut read) = ([0; 256], 0);
                loop {
                    let n = stream.read(&mut room).await?;
                    if n == 0 {
                        return Ok::<_, std::io::Error>(());
                    }
                    read += n;
                    while read >= question {
                        read -= question;
                        stream.write_all(&answer).await?;
                    }
                }
            });
        }
    });
}

/// Connections to the limit that say and hear as much as these.
pub fn like(address: SocketAddr, caller: &Caller) -> Caller {
    let question = caller.request();
    let lines = caller.lengths().map(|length| {
        let mut stream = TcpStream::connect(address).expect("the limit should listen");
        stream.set_nodelay(true).expect("TCP_NODELAY");
        stream.write_all(&(question.len() as u32).to_be_bytes()).expect("the limit should listen");
        stream.write_all(&(length as u32).to_be_bytes()).expect("the limit should listen");
        (stream, length)
    });
    Caller::with(lines.collect(), question)
}
