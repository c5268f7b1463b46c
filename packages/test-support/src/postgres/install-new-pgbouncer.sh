#!/usr/bin/env bash
# Builds the PgBouncer of Debian 13, which keeps the names of statements, for a machine of Debian 12, whose own does not.
# Leaves it where `pgbouncer.ts` looks for it; takes half a minute, and nothing if it is there.
set -euo pipefail
target=/usr/local/lib/pgbouncer-new/pgbouncer
[ -x "$target" ] && exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get update
apt-get install -y --no-install-recommends build-essential pkg-config libevent-dev
mkdir -p lists/partial cache/archives/partial
# From where this machine has its packages.
archive=$(apt-get indextargets --format '$(REPO_URI)' | grep '/debian/$' | sort -u | head -n 1)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive trixie main" >sources
apt-get -o Dir::Etc::sourcelist="$folder/sources" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$folder/lists" \
  -o Dir::Cache="$folder/cache" update
apt-get -o Dir::Etc::sourcelist="$folder/sources" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$folder/lists" \
  -o Dir::Cache="$folder/cache" source --download-only pgbouncer
mkdir source
tar xf pgbouncer_*.orig.tar.gz -C source --strip-components=1
cd source
./configure --without-cares --without-openssl >/dev/null
make -j2 pgbouncer >/dev/null
install -D -m 755 pgbouncer "$target"
