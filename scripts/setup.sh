# Brings in what Cuebox needs to build and test; sourced by ./dev, which sets $root.
#
# Most packages come from the system's own release. The few that Debian 12 lacks in a recent enough
# version are fetched by apt with a private state (sources, lists and cache under .deps/), so their
# signatures are verified and the machine's own sources stay as they are.

deps="$root/.deps"

packages_build=(clang-19 lld-19 clang-format-19 libclang-rt-19-dev g++ cmake ninja-build ccache
                python3 tao-json-dev tao-pegtl-dev libcli11-dev libpq-dev libssl-dev postgresql-15
                libabsl-dev libprotobuf32 libcurl4) # the last three for the OpenTelemetry SDK
packages_test=(pgbouncer)
packages_lint=(clang-tidy-19)
packages_bench=(libcaf-dev gnuplot-nox)
packages_peers=(nodejs npm)

# package/suite pairs unpacked into .deps/; nothing of theirs is installed or started. Of prometheus only
# promtool is wanted, for the tests.
private_packages=(libboost1.88-dev/trixie
                  libcatch2-dev/bookworm-backports
                  catch2/bookworm-backports
                  quill-dev/sid
                  opentelemetry-cpp/bookworm-backports
                  opentelemetry-cpp-dev/bookworm-backports
                  prometheus/bookworm)

missing_packages() {
    local installed package
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null |
                awk '$2 == "ii" {print $1}') || true
    for package in "$@"; do
        grep -qxF "$package" <<<"$installed" || printf '%s\n' "$package"
    done
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} == 0)) && return
    if ((EUID != 0)); then
        say "these packages are missing: ${missing[*]}"
        say "install them, then run this again:  sudo apt-get install ${missing[*]}"
        exit 1
    fi
    say "installing ${missing[*]}"
    apt-get update -qq || say "warning: apt-get update had errors; going on with what it has"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 "${missing[@]}" >/dev/null
}

# The archive this machine already trusts and uses: ours is the same one, other suites.
debian_mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1
}

fetch_private_packages() {
    local stamp="$deps/.complete" wanted="${private_packages[*]}"
    [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return

    local mirror state="$deps/.apt" pair
    mirror=$(debian_mirror)
    if [[ -z $mirror ]]; then
        ((EUID == 0)) && apt-get update -qq && mirror=$(debian_mirror)
        [[ -n $mirror ]] || fail "apt knows no Debian archive: run 'apt-get update' as root, then this again"
    fi

    say "fetching ${private_packages[*]%%/*} into .deps/"
    rm -rf "$deps"
    mkdir -p "$state"/{lists,cache,download}/partial
    for suite in $(printf '%s\n' "${private_packages[@]#*/}" | sort -u); do
        printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
            "$mirror" "$suite"
    done >"$state/sources.list"

    local apt=(apt-get -qq -o "Dir::State=$state" -o "Dir::State::lists=$state/lists"
               -o Dir::State::status=/dev/null -o "Dir::Cache=$state/cache"
               -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=-
               -o Acquire::Languages=none -o Acquire::Retries=3 -o "APT::Sandbox::User=$(id -un)")
    "${apt[@]}" update
    (cd "$state/download" && "${apt[@]}" download "${private_packages[@]}")
    for package in "$state"/download/*.deb; do dpkg -x "$package" "$deps"; done
    rm -f "$deps/usr/bin/prometheus"
    rm -rf "$state"
    printf '%s' "$wanted" >"$stamp"
}

# setup [test|lint|bench|peers]...: brings in the named groups; the build group always.
setup() {
    # Elsewhere the dependencies come from Conan or from the system, and CMake finds them there.
    [[ ${CUEBOX_SYSTEM_DEPS:-} ]] && return
    if ! grep -qs '^VERSION_ID="12"' /etc/os-release || ! grep -qs '^ID=debian' /etc/os-release; then
        fail "./dev sets up Debian 12 only; elsewhere bring the dependencies in with Conan or your" \
             "system's packages (docs/architecture.md lists them) and set CUEBOX_SYSTEM_DEPS=1"
    fi
    local group wanted=("${packages_build[@]}")
    for group in "$@"; do
        local -n list="packages_$group"
        wanted+=("${list[@]}")
    done
    install_packages "${wanted[@]}"
    fetch_private_packages
}
