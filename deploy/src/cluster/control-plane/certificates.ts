import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CONTROL_PLANE, FIRST_SERVICE, type Layout, NODES, nodeAddress, nodeName } from '../system/layout.ts'
import { run } from '../system/run.ts'

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
const DAYS = '30'

type Certificate = { name: string; subject: string; names?: string; by?: string }

/** Creates the cluster's two authorities, a certificate for every part, and a kubeconfig for every client. */
export async function makeCertificates(layout: Layout): Promise<void> {
  const { certificates: dir } = layout
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await Promise.all([makeAuthority(dir, 'ca'), makeAuthority(dir, 'front-proxy-ca'), makeTokenKey(dir)])
  const clients = ['admin', 'controller-manager', 'scheduler', 'proxy', 'network-policy', ...NODES.map(nodeName)]
  await Promise.all([
    ...CERTIFICATES.map((certificate) => makeCertificate(dir, certificate)),
    ...clients.map((name) => writeKubeconfig(layout, name)),
  ])
}

const NAMES_OF_API = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]

const CERTIFICATES: readonly Certificate[] = [
  {
    name: 'apiserver',
    subject: '/CN=kube-apiserver',
    names: [`IP:${CONTROL_PLANE}`, `IP:${FIRST_SERVICE}`, ...NAMES_OF_API.map((name) => `DNS:${name}`)].join(),
  },
  { name: 'apiserver-to-kubelet', subject: '/O=system:masters/CN=kube-apiserver-kubelet-client' },
  { name: 'front-proxy', subject: '/CN=front-proxy-client', by: 'front-proxy-ca' },
  { name: 'admin', subject: '/O=system:masters/CN=admin' },
  { name: 'controller-manager', subject: '/CN=system:kube-controller-manager' },
  { name: 'scheduler', subject: '/CN=system:kube-scheduler' },
  { name: 'proxy', subject: '/CN=system:kube-proxy' },
  { name: 'network-policy', subject: '/O=system:masters/CN=network-policy' },
  ...NODES.map((node) => ({
    name: nodeName(node),
    subject: `/O=system:nodes/CN=system:node:${nodeName(node)}`,
    names: `DNS:${nodeName(node)},IP:${nodeAddress(node)}`,
  })),
]

async function makeAuthority(dir: string, name: string): Promise<void> {
  const uses = 'keyUsage=critical,keyCertSign,cRLSign,digitalSignature'
  const files = ['-keyout', join(dir, `${name}.key`), '-out', join(dir, `${name}.crt`)]
  await run(['openssl', 'req', '-x509', ...KEY, ...files, '-days', DAYS, '-subj', `/CN=${name}`, '-addext', uses])
}

/** What the API server signs the tokens of service accounts with. */
async function makeTokenKey(dir: string): Promise<void> {
  await run(['openssl', 'genrsa', '-out', join(dir, 'tokens.key'), '2048'])
  await run(['openssl', 'rsa', '-in', join(dir, 'tokens.key'), '-pubout', '-out', join(dir, 'tokens.pub')])
}

async function makeCertificate(dir: string, { name, subject, names, by = 'ca' }: Certificate): Promise<void> {
  const file = (ending: string) => join(dir, `${name}.${ending}`)
  await run(['openssl', 'req', ...KEY, '-keyout', file('key'), '-out', file('csr'), '-subj', subject])
  const uses = ['extendedKeyUsage=serverAuth,clientAuth', ...(names ? [`subjectAltName=${names}`] : [])]
  await writeFile(file('ext'), uses.join('\n'))
  const signer = ['-CA', join(dir, `${by}.crt`), '-CAkey', join(dir, `${by}.key`), '-set_serial', serialNumber()]
  const request = ['-req', '-in', file('csr'), '-extfile', file('ext'), '-days', DAYS]
  await run(['openssl', 'x509', ...request, ...signer, '-out', file('crt')])
}

function serialNumber(): string {
  return `0x${crypto.randomUUID().replaceAll('-', '')}`
}

async function writeKubeconfig({ certificates, kubeconfig }: Layout, name: string): Promise<void> {
  const path = kubeconfig(name)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const cluster = { server: `https://${CONTROL_PLANE}:6443`, 'certificate-authority': join(certificates, 'ca.crt') }
  const user = {
    'client-certificate': join(certificates, `${name}.crt`),
    'client-key': join(certificates, `${name}.key`),
  }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster }],
    users: [{ name, user }],
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: name } }],
    'current-context': 'cluster',
  }
  await writeFile(path, JSON.stringify(config))
}
