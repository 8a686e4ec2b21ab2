//! The same echo twice. First one loop does everything; then each party is a straight line, and an executor polls.

mod by_hand;
mod with_executor;

fn main() {
    // `break`: nobody listens.
    let listens = !std::env::args().any(|word| word == "break");
    println!("by hand:");
    by_hand::run(listens);
    println!("with an executor:");
    with_executor::run(listens);
}
