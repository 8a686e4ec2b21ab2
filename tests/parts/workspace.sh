# To be sourced. What of the workspace is built and how, the same for every part of this machine's: a part that chose other
# features would compile core, host and half of what they need once more.
# shellcheck disable=SC2034
workspace=(--workspace --locked --features parlor/cluster)
