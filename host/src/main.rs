fn main() -> std::process::ExitCode {
    parlor::program::main()
}
