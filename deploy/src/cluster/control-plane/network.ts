import { CONTROL_PLANE, INTERNET, NODES, nodeAddress, nodeName, podsOf } from '../system/layout.ts'
import { runSync } from '../system/run.ts'

const BRIDGE = 'lan'

/** Creates the network of a cluster in this network namespace, one more for each node, and one for the internet. */
export function makeNetwork(): void {
  ip('link', 'set', 'lo', 'up')
  ip('link', 'add', BRIDGE, 'type', 'bridge')
  ip('addr', 'add', `${CONTROL_PLANE}/24`, 'dev', BRIDGE)
  ip('addr', 'add', `${INTERNET.gateway}/${INTERNET.bits}`, 'dev', BRIDGE)
  ip('link', 'set', BRIDGE, 'up')
  runSync('sysctl', '-qw', 'net.ipv4.ip_forward=1')
  for (const node of NODES) {
    connect(nodeName(node), `${nodeAddress(node)}/24`, CONTROL_PLANE)
    ip('route', 'add', podsOf(node), 'via', nodeAddress(node))
    for (const other of NODES) {
      if (other !== node) ip('-n', nodeName(node), 'route', 'add', podsOf(other), 'via', nodeAddress(other))
    }
    within(nodeName(node), 'sysctl', '-qw', 'net.ipv4.ip_forward=1')
    // Without the kernel module br_netfilter the setting is missing, and only pods of one node would notice.
    within(nodeName(node), 'sysctl', '-qwe', 'net.bridge.bridge-nf-call-iptables=1')
  }
  connect('internet', `${INTERNET.host}/${INTERNET.bits}`, INTERNET.gateway)
}

function connect(namespace: string, address: string, gateway: string): void {
  ip('netns', 'add', namespace)
  ip('-n', namespace, 'link', 'set', 'lo', 'up')
  ip('link', 'add', `to-${namespace}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
  ip('link', 'set', `to-${namespace}`, 'master', BRIDGE, 'up')
  ip('-n', namespace, 'addr', 'add', address, 'dev', 'eth0')
  ip('-n', namespace, 'link', 'set', 'eth0', 'up')
  ip('-n', namespace, 'route', 'add', 'default', 'via', gateway)
}

function within(namespace: string, ...command: string[]): void {
  runSync('ip', 'netns', 'exec', namespace, ...command)
}

function ip(...args: string[]): void {
  runSync('ip', ...args)
}
