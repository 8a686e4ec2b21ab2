//! What is asked of core in this process: laws, simulations, bots, clients of another making. One binary, as each would link core
//! again. A file is a module, so its name picks its tests: `cargo nextest run -p parlor-tests --test suite wire_laws::`.

mod citations;
mod dissector;
mod echo;
mod security;
mod sim_chaos;
mod sim_crowd;
mod sim_mirror;
mod sim_strength;
mod talk;
mod transcripts;
mod venus_exchanges;
mod venus_galaxy;
mod venus_moves;
mod venus_python;
mod venus_steps;
mod wire_laws;
mod wire_messages;
mod wire_table;
mod yard_leak;
mod yard_python;
mod yard_sim;
mod yard_strength;
