//! Answers that have no body, as they go over the wire.

/// What is said to a request that is not answered with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Status {
    NotModified,
    BadRequest,
    /// Another page's script asks.
    Forbidden,
    NotFound,
    MethodNotAllowed,
    /// A request with a body.
    TooLarge,
    /// By a name that is not this server's.
    Misdirected,
    UpgradeRequired,
    HeadTooLarge,
    /// No place is left.
    Unavailable,
}

impl Status {
    /// All of the answer. After all but [`Status::NotModified`] and [`Status::NotFound`] the connection ends: what follows
    /// such a request can't be trusted to be another one.
    pub const fn answer(self) -> &'static [u8] {
        match self {
            Self::NotModified => b"HTTP/1.1 304 Not Modified\r\nCache-Control: no-cache\r\n\r\n",
            Self::NotFound => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            Self::BadRequest => b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            Self::Forbidden => b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            Self::MethodNotAllowed => {
                b"HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            }
            Self::TooLarge => b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            Self::Misdirected => b"HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            Self::UpgradeRequired => {
                b"HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\
                  Sec-WebSocket-Version: 13\r\nContent-Length: 0\r\n\r\n"
            }
            Self::HeadTooLarge => {
                b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            }
            Self::Unavailable => {
                b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            }
        }
    }

    pub const fn closes(self) -> bool {
        !matches!(self, Self::NotModified | Self::NotFound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_end_and_say_whether_the_connection_does() {
        let all = [
            Status::NotModified,
            Status::BadRequest,
            Status::Forbidden,
            Status::NotFound,
            Status::MethodNotAllowed,
            Status::TooLarge,
            Status::Misdirected,
            Status::UpgradeRequired,
            Status::HeadTooLarge,
            Status::Unavailable,
        ];
        for status in all {
            let text = str::from_utf8(status.answer()).unwrap();
            assert!(text.starts_with("HTTP/1.1 ") && text.ends_with("\r\n\r\n"), "{text}");
            assert_eq!(text.matches("\r\n").count(), text.matches('\n').count(), "{text}");
            assert_eq!(text.contains("close"), status.closes(), "{text}");
        }
    }
}
