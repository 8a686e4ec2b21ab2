//! A board that serves nothing: what comes goes back. The yardstick for what games and pages cost.

use embassy_net::{Stack, tcp::TcpSocket};
use embassy_time::{Duration, Timer, with_timeout};

/// How long a closing connection may take to send its last bytes.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// One connection after the other, forever.
pub async fn echo(stack: Stack<'_>, port: u16, rx: &mut [u8], tx: &mut [u8], out: &mut [u8]) -> ! {
    loop {
        let mut socket = TcpSocket::new(stack, rx, tx);
        socket.set_nagle_enabled(false);
        if socket.accept(port).await.is_err() {
            Timer::after(LAST_WORDS).await;
            continue;
        }
        while let Ok(count @ 1..) = socket.read(out).await {
            let mut bytes = out.get(..count).unwrap_or_default();
            while !bytes.is_empty()
                && let Ok(sent @ 1..) = socket.write(bytes).await
            {
                bytes = bytes.get(sent..).unwrap_or_default();
            }
        }
        socket.close();
        if !matches!(with_timeout(LAST_WORDS, socket.flush()).await, Ok(Ok(()))) {
            socket.abort();
        }
    }
}
