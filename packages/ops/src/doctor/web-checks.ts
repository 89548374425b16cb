import { isPublicAddress } from '@family-inbox/service-kit/http/public-address'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { type Finding, ok, problem, skipped, warning } from './finding.ts'
import type { SetUp } from './set-up.ts'
import type { World } from './world.ts'

const RENEW_DAYS = 14

/** Whether browsers and assistants reach the three addresses, safely. */
export async function checkWeb({ urls, isPublic }: SetUp, world: World): Promise<Finding[]> {
  if (!isPublic)
    return [skipped('addresses', 'All addresses lead to this machine only.'), await checkAnswer(urls.INBOX_URL, world)]
  const hosts = new Map(Object.entries(urls).map(([setting, url]) => [new URL(url).host, { setting, url }]))
  const each = [...hosts.values()].map(({ setting, url }) => checkAddress(setting, url, world))
  return [...(await Promise.all(each)).flat(), await checkAnswer(urls.INBOX_URL, world)]
}

async function checkAddress(setting: string, url: string, world: World): Promise<Finding[]> {
  const { hostname, protocol, port } = new URL(url)
  const addresses = await world.addresses(hostname)
  if (addresses.length === 0)
    return [
      problem(
        `${setting} in DNS`,
        `${hostname} has no address.`,
        `Add an A or AAAA record for ${hostname} that names this server.`,
      ),
    ]
  const isPrivate = !addresses.every(isPublicAddress)
  const inDns = isPrivate
    ? warning(
        `${setting} in DNS`,
        `${hostname} is ${addresses.join(', ')}, which only your own network reaches.`,
        'Name the public address of this server, unless everybody is on your network or a VPN.',
      )
    : ok(`${setting} in DNS`, `${hostname} is ${addresses.join(', ')}.`)
  if (protocol !== 'https:')
    return [
      inDns,
      problem(
        `${setting} with TLS`,
        `${url} is not encrypted.`,
        `Put a proxy with a certificate in front, such as Caddy, and set ${setting} to https://${hostname}.`,
      ),
    ]
  return [inDns, await checkCertificate(setting, hostname, Number(port || 443), world)]
}

async function checkCertificate(setting: string, host: string, port: number, world: World): Promise<Finding> {
  const check = `${setting} with TLS`
  const found = await world.certificate(host, port).catch((error) => String(error.message))
  if (typeof found === 'string')
    return problem(
      check,
      `${host}:${port} does not answer with TLS: ${found}.`,
      'Start the proxy, or open the port in your router and firewall.',
    )
  const { validTo, refusal } = found
  const until = validTo.toISOString().slice(0, 10)
  const days = Math.floor((validTo.getTime() - world.now().getTime()) / DAY_MS)
  const renew = 'Look at the log of the proxy that renews it.'
  if (days < 0) return problem(check, `The certificate of ${host} ended on ${until}.`, renew)
  if (refusal !== undefined)
    return problem(
      check,
      `Browsers refuse the certificate of ${host}: ${refusal}.`,
      `Get one for ${host} from a public authority.`,
    )
  if (days < RENEW_DAYS) return warning(check, `The certificate of ${host} ends in ${days} days, on ${until}.`, renew)
  return ok(check, `The certificate of ${host} is valid until ${until}.`)
}

async function checkAnswer(inboxUrl: string, world: World): Promise<Finding> {
  const url = new URL('/readyz', inboxUrl).href
  const answer = await world.get(url).catch((error) => String(error.cause?.code ?? error.message))
  if (typeof answer === 'string')
    return problem(
      'services',
      `${inboxUrl} does not answer: ${answer}.`,
      'Run npm start, and check that the proxy passes this address on to it.',
    )
  if (answer.status === 200) return ok('services', 'All services are ready.')
  if (answer.status === 503)
    return problem(
      'services',
      `Not all services are ready: ${waitingFor(answer.text)}.`,
      'Look at the logs in DATA_DIR.',
    )
  return problem(
    'services',
    `${url} answers ${answer.status}.`,
    'Something else answers there. Check that the proxy passes this address on to PORT.',
  )
}

/** The names of the services; else what was answered. */
function waitingFor(text: string): string {
  const names = /"waitingFor":\[([^\]]+)\]/.exec(text)?.[1]
  return names === undefined ? text.trim().slice(0, 200) : names.replaceAll('"', '').replaceAll(',', ', ')
}
