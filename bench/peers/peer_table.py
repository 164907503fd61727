"""The peers that bench/run measures beside each other: how each is started, which of a host's commands it has, where its programs are,
and what installs it. A peer is a row of PEERS; README.md in this folder says what its host must do."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(os.path.dirname(HERE), "programs")
BASE = "lua54"
USUAL = ("luajit-off", "luajit")
NOT_WORKLOADS = {"turn", "oneshot", "wordfreq_split"}


class Peer:
    """`host` is the start of a command line: a program, looked for on the PATH unless it is a path, and what comes before the
    command; `options` come behind the command. `scripts` is the folder of the programs, `turn` the program of a fresh turn among
    them; `commands` are those of the host besides `bench`. `package` is what Debian calls the peer, `npm` what npm does, which
    is installed in the folder `modules`; `version` is a command line that prints one, `color` its bar in the chart. `unsupported`
    has the workloads that the peer was found not to run, and why."""

    def __init__(self, name, host, scripts, *, options=(), turn="", commands=("fresh", "trivial", "idle"), package="", npm="", modules="",
                 version=(), color):
        self.name, self.host, self.scripts, self.options = name, list(host), scripts, list(options)
        self.turn, self.commands = os.path.join(scripts, turn), commands
        self.package, self.npm, self.modules = package, npm, modules
        self.version_command, self.color = list(version), color
        self.unsupported = {}

    def lacks(self):
        """What must be installed before it can be measured; None when it can be."""
        if shutil.which(self.host[0]) is None:
            return self.host[0]
        module = self.npm.rpartition("@")[0]
        return None if not self.npm or os.path.exists(os.path.join(self.modules, "node_modules", module)) else module

    def version(self):
        """What it calls itself, or None."""
        if not self.version_command:
            return None
        done = subprocess.run(self.version_command, capture_output=True, text=True, check=False)
        return (done.stdout or done.stderr).strip().split("\n")[0] or None

    def lines(self, command, *arguments):
        """The tab-separated lines that the host prints; an empty list when it fails."""
        try:
            done = subprocess.run([*self.host, command, *self.options, *map(str, arguments)], capture_output=True, text=True,
                                  timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return []
        if done.returncode != 0:
            print(f"  {self.name} {command} {' '.join(map(str, arguments))}: {done.stderr.strip()[:300]}", file=sys.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def workload(self, data, workload, repetitions):
        """(times in ms, check) of one process; ([], None) when the peer cannot run the workload, which `unsupported` says then."""
        rows = [row for row in self.lines("bench", self.scripts, data, workload, repetitions) if len(row) == 3 and row[0] == workload]
        if rows and rows[0][1] == "unsupported":
            self.unsupported[workload] = rows[0][2]
            return [], None
        return [float(row[1]) for row in rows], rows[-1][2] if rows else None

    def fresh(self, command, *arguments):
        """({figure: us}, answer) of many evaluations that start from nothing."""
        figures, answer = {}, None
        for row in self.lines(command, *arguments, self.name):
            if row[0] == self.name:
                figures = {key: float(value) for key, value in (cell.split("=") for cell in row[1:])}
            elif row[0] == "answer":
                answer = row[1]
        return figures, answer

    def idle(self, n):
        """Kilobytes of a session, or state, in which nothing was run; None when it cannot be had."""
        return next((float(row[1]) for row in self.lines("idle", str(n)) if row[0] == "idle"), None)


def workload_names():
    """The programs that every peer has a twin of."""
    found = sorted(os.path.splitext(file) for file in os.listdir(PROGRAMS))
    return [name for name, extension in found if extension == ".lisp" and name not in NOT_WORKLOADS]


def all_peers(build):
    """Every peer there is, the one that the others are compared with first; `build` is the folder with bin/h_lua54."""
    binary = lambda name: os.path.join(build, "bin", name)
    host = lambda name: os.path.join(HERE, "hosts", name)
    lua, js, py = (os.path.join(HERE, folder) for folder in ("lua", "js", "py"))
    node = ["node", "--expose-gc", host("host.mjs")]
    modules = os.path.join(build, "bench")
    monty = ["node", host("host_monty.mjs"), modules]
    return [
        Peer(BASE, [binary("h_lua54")], lua, turn="turn.lua", package="liblua5.4-dev", color="#1a202c"),
        Peer("luajit-off", [binary("h_luajit")], lua, options=["--nojit"], turn="turn.lua", package="libluajit-5.1-dev", color="#a0aec0"),
        Peer("luajit", [binary("h_luajit")], lua, turn="turn.lua", package="libluajit-5.1-dev", color="#cbd5e0"),
        Peer("quickjs", [binary("h_quickjs")], js, turn="turn.js", npm="qjsc@0.3.0", modules=modules, color="#b794f4"),
        Peer("cpython", ["python3", host("host.py")], py, turn="turn.py", commands=("fresh", "trivial"), package="python3",
             version=["python3", "--version"], color="#d69e2e"),
        Peer("node-jitless", ["node", "--jitless", *node[1:]], js, turn="turn.js", package="nodejs", version=["node", "--version"],
             color="#9ae6b4"),
        Peer("node", node, js, turn="turn.js", package="nodejs", version=["node", "--version"], color="#38a169"),
        Peer("monty", monty, py, turn="turn.py", commands=("fresh", "trivial"), package="nodejs", npm="@pydantic/monty@0.0.18",
             modules=modules, version=[*monty, "version"], color="#f6ad55"),
        ours("ptc", binary("h_ptc"), "#2b6cb0"),
    ]


def ours(name, path, color="#ed8936"):
    """A build of this repository."""
    return Peer(name, [path], PROGRAMS, turn="turn.lisp", color=color)


def chosen(peers, names):
    """Those of `names`, which are separated by commas; Lua 5.4 and ptc are always among them. `all` is every peer."""
    wanted = {peer.name for peer in peers} if names == "all" else set(filter(None, names.split(",")))
    unknown = wanted - {peer.name for peer in peers}
    if unknown:
        sys.exit(f"unknown peers: {', '.join(sorted(unknown))}; there are {', '.join(peer.name for peer in peers)}")
    return [peer for peer in peers if peer.name in wanted | {BASE, "ptc"}]


def install(peers, others=()):
    """Installs what is missing, with apt-get and npm. What cannot be had is reported, and its peer left out later."""
    missing = [peer for peer in peers if peer.lacks()]
    packages = dict.fromkeys([*others, *(peer.package for peer in missing if peer.package)])
    commands = [["apt-get", "install", "-y", "-q", package] for package in packages]
    for folder in {peer.modules for peer in missing if peer.npm}: # all of it at once: npm takes away what it is not told
        commands.append(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder,
                         *(peer.npm for peer in peers if peer.modules == folder)])
    subprocess.run(["apt-get", "update", "-q"], check=False)
    for command in commands:
        if shutil.which(command[0]) is None or subprocess.run(command, check=False).returncode != 0:
            print(f"{' '.join(command)} failed", file=sys.stderr)
