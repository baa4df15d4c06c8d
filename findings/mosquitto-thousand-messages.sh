#!/usr/bin/env bash
# Mosquitto 2.0.11 of Debian 12 with paho-mqtt 2.2.0, seen on 2026-12-01.
# One would guess: what is confirmed with "Success" comes to a session that the broker keeps; else it answers "quota exceeded" of MQTT 5.
# What happens: of 1,500 messages for a terminal that is away, each confirmed, at QoS 1 and QoS 2, the first 1,000 come; others are thrown
# away, with one line in the log for all of them. Without `persistence true` a broker that is started again has none, of a session either.
# Why it matters: a shop that was offline over a weekend misses the newest payments, which the sender has as delivered.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 mosquitto=2.0.11-1.2+deb12u2 libmosquitto1=2.0.11-1.2+deb12u2 libdlt2=2.18.8-6 libwebsockets17=4.1.6-3 \
  libev4=1:4.33-1 libuv1=1.44.2-1+deb12u1 libcjson1=1.7.15-1+deb12u4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet paho-mqtt==2.2.0 || exit 2
cat >run.py <<'PY'
import glob
import os
import socket
import subprocess
import threading
import time

from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
with open("broker.conf", "w") as file:
    file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
libraries = ":".join({os.path.abspath(os.path.dirname(name)) for name in glob.glob("**/*.so.*", recursive=True)})


def start():
    log = open("log", "w")
    broker = subprocess.Popen(["usr/sbin/mosquitto", "-c", "broker.conf"], env={"LD_LIBRARY_PATH": libraries}, stderr=log)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return broker
        except ConnectionRefusedError:
            time.sleep(0.1)


def terminal(quality, came):
    """Connect the terminal; its session is kept for a day. Return it once it has subscribed."""
    properties = Properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = 86400
    ready = threading.Event()
    client = Client(CallbackAPIVersion.VERSION2, client_id=f"terminal-{quality}", protocol=MQTTv5)
    client.on_message = lambda *arguments: came.append(int(arguments[2].payload))
    client.on_subscribe = lambda *arguments: ready.set()
    client.connect("127.0.0.1", port, clean_start=False, properties=properties)
    client.loop_start()
    client.subscribe(f"paid/{quality}", qos=quality)
    assert ready.wait(20)
    return client


def away(client):
    client.disconnect()
    client.loop_stop()


def settled(came):
    """Wait until no more messages have come for two seconds."""
    before = -1
    while len(came) != before:
        before = len(came)
        time.sleep(2)
    return (len(came), came[0], came[-1]) if came else (0,)


def run(quality, again):
    answers, came = [], []
    broker = start()
    away(terminal(quality, came))
    shop = Client(CallbackAPIVersion.VERSION2, client_id="shop", protocol=MQTTv5)
    shop.on_publish = lambda *arguments: answers.append(str(arguments[3]))
    shop.max_queued_messages_set(0)
    shop.connect("127.0.0.1", port)
    shop.loop_start()
    for sent in [shop.publish(f"paid/{quality}", str(number), qos=quality) for number in range(1500)]:
        sent.wait_for_publish(60)
    away(shop)
    if again:
        broker.terminate()
        broker.wait()
        broker = start()
    client = terminal(quality, came)
    seen = settled(came)
    away(client)
    broker.terminate()
    broker.wait()
    return len(answers), set(answers), seen


seen = [run(1, False), run(2, False), run(1, True)]
print(*seen, sep="\n")
assert seen == [(1500, {"Success"}, (1000, 0, 999)), (1500, {"Success"}, (1000, 0, 999)), (1500, {"Success"}, (0,))], "this has changed"
PY
venv/bin/python run.py
