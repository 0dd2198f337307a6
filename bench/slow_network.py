"""Two hosts on one machine with a slow network between them: two network namespaces, each with a TUN device, and a relay that
delays and paces what goes from one to the other. For kernels without `netem`; needs root, `ip` and `ping`, touches nothing else.

    python3 bench/slow_network.py [--latency 1] [--gigabits 1] COMMAND...

measures the network, then runs COMMAND on the first host with $HOSTS, the addresses of both; `mpirun --host $HOSTS` of OpenMPI
then starts its processes on both.
"""

import argparse
import collections
import fcntl
import os
import pathlib
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

HOSTS = {"slow0": "10.77.0.1", "slow1": "10.77.0.2"}
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
# Few packets: less work for the relay.
MTU = 65000

# Started by mpirun in the place of ssh: HOST COMMAND...
AGENT = """#!/bin/sh
host=$1
shift
for name in slow0 slow1; do
  if ip netns exec $name ip -brief address show $name | grep -q " $host/"; then
    exec ip netns exec $name unshare --uts sh -c "hostname $name; $*"
  fi
done
echo "no host $host" >&2
exit 1
"""

# How long the second host waits for bytes from the first.
RECEIVE = """
import socket, time
listener = socket.create_server(("10.77.0.2", 7700))
print("ready", flush=True)
stream = listener.accept()[0]
buffer, first, count = bytearray(1 << 20), None, 0
while got := stream.recv_into(buffer):
    first = first or time.monotonic()
    count += got
print(8e-9 * count / (time.monotonic() - first))
"""
SEND = """
import socket
stream = socket.create_connection(("10.77.0.2", 7700))
for _ in range(64):
    stream.sendall(bytes(1 << 20))
"""


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def host(name: str, address: str) -> int:
    """A namespace with a TUN device of its own; the end of the device that is ours."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    run("ip", "netns", "add", name)
    run("ip", "link", "set", name, "netns", name)
    inside = ["ip", "-n", name]
    run(*inside, "address", "add", f"{address}/24", "dev", name)
    run(*inside, "link", "set", name, "mtu", str(MTU), "txqueuelen", "10000", "up")
    run(*inside, "link", "set", "lo", "up")
    return device


def relay(devices: list[int], latency: float, rate: float) -> None:
    """Hands packets on: each leaves when those before it are through at `rate` bits a second, and arrives `latency` later."""
    # Soon enough on a machine that computes meanwhile.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    under_way = [collections.deque() for _ in devices]
    free = [0.0 for _ in devices]
    while True:
        arrivals = [queue[0][0] for queue in under_way if queue]
        wait = max(0.0, min(arrivals) - time.monotonic()) if arrivals else None
        for device in select.select(devices, [], [], wait)[0]:
            side = devices.index(device)
            try:
                packet = os.read(device, 65536)
            except OSError:  # The hosts are gone.
                return
            free[side] = max(free[side], time.monotonic()) + 8 * len(packet) / rate
            under_way[side].append((free[side] + latency, packet))
        for side, queue in enumerate(under_way):
            while queue and queue[0][0] <= time.monotonic():
                os.write(devices[1 - side], queue.popleft()[1])


def measured() -> str:
    """What the network does: its round trip and its rate."""
    first, second = HOSTS
    pings = run("ip", "netns", "exec", first, "ping", "-q", "-i", "0.05", "-c", "20", HOSTS[second])
    least, mean = pings.rsplit("= ", 1)[1].split("/")[:2]
    inside = ["ip", "netns", "exec"]
    receiver = subprocess.Popen([*inside, second, sys.executable, "-c", RECEIVE], stdout=subprocess.PIPE, text=True)
    receiver.stdout.readline()
    run(*inside, first, sys.executable, "-c", SEND)
    rate = float(receiver.communicate()[0])
    return f"round trip {mean} ms (least {least}), {rate:.2f} Gbit/s"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--latency", type=float, default=1.0, help="milliseconds one way")
    arguments.add_argument("--gigabits", type=float, default=1.0, help="Gbit/s each way")
    arguments.add_argument("command", nargs=argparse.REMAINDER)
    given = arguments.parse_args()
    for program, package in [("ip", "iproute2"), ("ping", "iputils-ping")]:
        if shutil.which(program) is None:
            sys.exit(f"{program} is not installed: Debian's package {package} has it")
    folder = pathlib.Path(tempfile.mkdtemp())
    # Leave nothing behind, however it ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        devices = [host(name, address) for name, address in HOSTS.items()]
        link = (devices, 1e-3 * given.latency, 1e9 * given.gigabits)
        threading.Thread(target=relay, args=link, daemon=True).start()
        print(f"network of {given.latency:g} ms and {given.gigabits:g} Gbit/s: {measured()}", flush=True)
        agent = folder / "agent"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        settings = {
            "HOSTS": ",".join(HOSTS.values()),
            "OMPI_MCA_plm_rsh_agent": str(agent),
            "OMPI_MCA_btl": "self,tcp",
            "OMPI_MCA_btl_tcp_if_include": "10.77.0.0/24",
            "OMPI_MCA_oob_tcp_if_include": "10.77.0.0/24",
        }
        first = next(iter(HOSTS))
        command = ["ip", "netns", "exec", first, "unshare", "--uts", "bash", "-c", f'hostname {first}; exec "$@"', "bash"]
        return subprocess.run([*command, *given.command], env={**os.environ, **settings}).returncode
    finally:
        for name in HOSTS:
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
