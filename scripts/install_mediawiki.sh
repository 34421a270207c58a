#!/usr/bin/env bash
# Debian's MediaWiki for the tests of the API importer: about a minute, once a machine. Says why where it can't; never fails.
set -uo pipefail

have() { command -v php >/dev/null && [ -f /usr/share/mediawiki/maintenance/install.php ] && php -m | grep -qi '^sqlite3$'; }

if have; then
  echo "mediawiki: here already"
elif ! command -v apt-get >/dev/null; then
  echo "mediawiki: not installed (no apt-get here); its tests will be skipped"
elif [ "$(id -u)" -ne 0 ]; then
  echo "mediawiki: not installed (only root may); its tests will be skipped"
else
  # RUNLEVEL=1: the web server that the package brings along isn't started; the tests use PHP's own.
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  log=$(mktemp)
  install() { timeout 300 apt-get install -y -q --no-install-recommends mediawiki php-cli php-sqlite3 >"$log" 2>&1 </dev/null; }
  install || { timeout 120 apt-get update -q >>"$log" 2>&1 && install; }
  if have; then
    echo "mediawiki: installed in ${SECONDS} s"
  else
    tail -n 5 "$log"
    echo "mediawiki: can't be installed; its tests will be skipped"
  fi
  rm -f "$log"
fi
exit 0
