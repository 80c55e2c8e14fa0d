#!/usr/bin/env bash
# contracts_test.sh CUEBOX SHOP: the life of a contract, on real files.
set -euo pipefail
cuebox=$1 shop=$2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"

fail() { printf 'FAILED: %s\n--- said\n%s\n' "$1" "$said" >&2; exit 1; }

# contracts CODE COMMAND CHANGE [ARGS]: what the command says about the shop, and its exit code.
contracts() {
    local expected=$1 command=$2 change=$3 code=0
    shift 3
    said=$("$shop" "$change" | "$cuebox" contracts "$command" --dir snapshots "$@" 2>&1) || code=$?
    [[ $code == "$expected" ]] || fail "contracts $command ($change) exits with $code, not $expected"
}
says() { [[ $said == *"$1"* ]] || fail "expected to read: $1"; }
keeps() { [[ $(cat snapshots/*.json | cksum) == "$kept" ]] || fail "the snapshots were changed"; }

said='' && contracts 1 check released
says "cuebox: no folder snapshots: make it with \`cuebox contracts snapshot\`"

contracts 0 snapshot released
says "order.placed v1: new, written"
[[ -f snapshots/order.placed.v1.json && -f snapshots/order.cancelled.v1.json ]] || fail "no files"
kept=$(cat snapshots/*.json | cksum)

contracts 0 check released
says "order.placed v1: same"
contracts 0 snapshot released
keeps

contracts 0 check additive
says "  additive  /note: optional field added"
keeps

contracts 1 check breaking
says "  breaking  /total: type changed from number to string"
says "cuebox: 1 contract breaks its snapshot: raise event_version"
contracts 1 check breaking --json
says '{"contracts":[{"event_type":"order.placed","event_version":1,"standing":"breaking",'
contracts 1 snapshot breaking
says "--force"
keeps

contracts 0 check versioned
says "order.placed v2: new"
contracts 0 snapshot versioned
[[ -f snapshots/order.placed.v1.json && -f snapshots/order.placed.v2.json ]] || fail "not both versions"

contracts 0 snapshot additive
says "order.placed v1: additive, written"
contracts 1 check released
says "/note: field removed"
contracts 0 snapshot breaking --force
says "order.placed v1: breaking, written"
contracts 0 check breaking

"$shop" breaking >from_file
said=$("$cuebox" contracts check --dir snapshots --from from_file) || fail "--from FILE"
says "order.placed v1: same"

# What is not a contract is told apart from what breaks one.
said=$("$cuebox" contracts check --dir snapshots --from nowhere 2>&1) && fail "a missing file passes"
says "no file nowhere"
said=$("$cuebox" contracts check --dir snapshots 2>&1 </dev/null) && fail "no contracts pass"
says "no contracts to read"
said=$(echo '{"event_type":1}' | "$cuebox" contracts check --dir snapshots 2>&1) && fail "nonsense passes"
says "line 1: not a contract"
said=$(echo '{"event_type":"../x","event_version":1}' | "$cuebox" contracts snapshot --dir snapshots 2>&1) &&
    fail "a name that leads out of the folder passes"
says "cannot be a file name"
said=$(cat from_file from_file | "$cuebox" contracts check --dir snapshots 2>&1) && fail "twice passes"
says "is there twice"
code=0 && said=$("$cuebox" contracts check 2>&1) || code=$?
[[ $code == 2 ]] || fail "no --dir exits with $code, not 2"
