#!/usr/bin/env bash
# Install the package's requirements when Gradescope builds the image.
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
# Each submission runs as another system user that cannot read the key.
chmod 600 key.txt
# Grade an example agent now, to compile the kernels and to show problems before students submit.
mkdir -p trial/submission trial/results
cp example.py trial/submission
ln -sfn "$PWD" trial/source
AUTOGRADER="$PWD/trial" bash run_autograder
