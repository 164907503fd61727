# For the `run` of folders whose packages npm installs: install_packages SOURCE WORK WHAT puts package.json, package-lock.json and modules of
# SOURCE into WORK, and what the lock file says, once for each state of it. The system's Node.js only has to carry npm: `node_in WORK` is the
# one that the packages bring, by its package, as older versions of npm make no link to a program that is not for every machine.
install_packages() {
    local source=$1 work=$2 what=$3 command
    for command in node npm flock; do
        command -v "$command" >/dev/null || { echo "$command is not installed; tools/test does that"; exit 1; }
    done
    mkdir -p "$work"
    # Groups run side by side: one installs, the others wait for it.
    (
        flock 9
        cd "$work"
        cp -u "$source"/package.json "$source"/package-lock.json "$work"
        if compgen -G "$source/*.mjs" >/dev/null; then cp -u "$source"/*.mjs "$work"; fi
        if ! cmp -s package-lock.json installed-lock.json; then
            npm ci --ignore-scripts --no-audit --no-fund --loglevel=error ||
                { echo "npm could not install $what: is this machine online?"; exit 1; }
            cp package-lock.json installed-lock.json
        fi
    ) 9>"$work/lock"
}

node_in() {
    local nodes=("$1"/node_modules/node-linux-*/bin/node)
    realpath "${nodes[0]}"
}

# What the machine says of proxies is not for servers on the loopback.
without_proxies() {
    local name
    for name in http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY; do unset "$name"; done
}
