#!/usr/bin/env bash
# Installs what the package needs, once, when the image is built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
umask 022
newest() {
    for name in python3.14 python3.13 python3.12 python3.11 python3; do
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
            2> /dev/null; then
            command -v "$name"
            return
        fi
    done
    return 1
}
if ! newest > /dev/null; then
    apt-get update
    apt-get install -y python3.12 python3.12-venv || apt-get install -y python3.11 python3.11-venv
fi
"$(newest)" -m venv environment
environment/bin/pip install -r requirements.txt
# The submission's process is that of a user who owns nothing, and cannot read this.
chmod 600 key.txt
# One agent is graded now: what has to be compiled is, and what is wrong is seen before any student.
mkdir -p trial/submission trial/results
cp example.py trial/submission
ln -sfn "$PWD" trial/source
AUTOGRADER="$PWD/trial" bash run_autograder
