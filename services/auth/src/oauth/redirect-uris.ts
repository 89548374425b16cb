import { errors } from 'oidc-provider'

const MAX_REDIRECT_URIS = 20
const MAX_URI_LENGTH = 2000
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A setting of the installation: schemes that are accepted or refused whatever the rule says, in lower case and without a colon. */
export type RedirectSchemes = { accepted: ReadonlySet<string>; refused: ReadonlySet<string> }

/**
 * Where a code may be sent (RFC 9700 section 2.1, RFC 8252 section 7): https, http on this device, and the private-use schemes of
 * apps. An address that is not safe is left out, and refuses the registration only if it leaves none.
 * @throws InvalidClientMetadata
 */
export function readRedirectUris(uris: readonly unknown[], schemes: RedirectSchemes): readonly unknown[] {
  if (uris.length > MAX_REDIRECT_URIS)
    throw refused(`redirect_uris must contain at most ${MAX_REDIRECT_URIS} addresses`)
  const addresses = uris.filter(isAddress)
  const safe = addresses.filter((uri) => problemOf(uri, schemes) === undefined)
  if (safe.length > 0) return safe
  const [first] = addresses
  if (first !== undefined) throw refused(problemOf(first, schemes) ?? '')
  // None is an address: oidc-provider names what is wrong.
  return uris
}

export function isAddress(uri: unknown): uri is string {
  return typeof uri === 'string' && URL.canParse(uri)
}

export function isOnDevice(uri: string): boolean {
  const url = new URL(uri)
  return url.protocol === 'http:' ? isLoopback(url) : url.protocol !== 'https:'
}

function problemOf(uri: string, schemes: RedirectSchemes): string | undefined {
  const url = new URL(uri)
  if (uri.length > MAX_URI_LENGTH) return `redirect_uris must be at most ${MAX_URI_LENGTH} characters each`
  if (uri.includes('#')) return 'redirect_uris must not contain fragments'
  if (url.username !== '' || url.password !== '') return 'redirect_uris must not contain a user name'
  if (url.protocol === 'http:' && !isLoopback(url)) return 'redirect_uris must use https, except on localhost'
  if (!isRedirectScheme(url, schemes))
    return 'redirect_uris must use https, http on localhost, or a scheme of the app itself such as com.example.app'
  return undefined
}

export function isRedirectScheme(url: URL, { accepted, refused }: RedirectSchemes): boolean {
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return isLoopback(url)
  const scheme = url.protocol.slice(0, -1)
  if (accepted.has(scheme)) return true
  const isOfApp = PRIVATE_USE.test(scheme) && !EXECUTED.has(scheme) && !EXECUTED_FAMILY.test(scheme)
  return isOfApp && !refused.has(scheme) && isHierarchical(url)
}

/** An app gets the code behind a host or a path. In `scheme:text`, as in `tel:`, the text itself is what is done. */
function isHierarchical({ host, pathname }: URL): boolean {
  return host !== '' || pathname.startsWith('/')
}

/** RFC 8252 section 7.3. */
function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.has(hostname)
}

function refused(message: string): Error {
  return new errors.InvalidClientMetadata(message)
}

const PRIVATE_USE = /^[a-z][a-z0-9]+(?:[.-][a-z0-9]+)*$/

/**
 * Opening one of these runs a program with what the address says, or shows it as a page: with them, whoever registers a client
 * could make a click on "Allow" do something else. Browsers, systems, stores, calls, payments, wallets, remote access, file systems.
 */
const EXECUTED = new Set(
  `about blob brave chrome data devtools edge feed file filesystem firefox jar javascript livescript mhtml mocha opera res resource
vbscript view-source vivaldi wyciwyg
http https ws wss ftp ftps sftp tftp scp gopher finger dict news nntp snews irc ircs nfs smb cifs afp webcal webcals webdav davs
ssh telnet tn3270 rlogin rdp vnc vnc-viewer teamviewer anydesk x2go spice nx citrix ica git svn rsync magnet ed2k torrent
ldap ldaps ldapi imap imaps pop pops smtp mailto mid cid urn uuid tag info ni nih did doi oid geo iris coap coaps mqtt mqtts amqp
jdbc odbc mongodb redis mysql postgres postgresql
tel telprompt callto sip sips sms smsto mms mmsto im pres xmpp jabber skype lync facetime facetime-audio imessage message whatsapp
viber tg telegram signal sgnl zoommtg zoomus zoomphone msteams slack discord webex gotomeeting meet
hcp help its mk outlook onenote search shell shortcuts workflow prefs app-prefs automator applescript x-man-page x-terminal terminal
iterm iterm2 cmd powershell bash wsl wt bitsadmin calculator explorer msdt regedit windowsdefender xbox zune onedrive
intent android-app android package content market fb twitter maps googlechrome comgooglemaps music videos podcasts photos ibooks
itms itmss macappstore macappstores appstore sidestore altstore cydia sileo ts trollstore
jnlp jnlps java steam epic origin uplay battlenet minecraft roblox roblox-player unity com
bitcoin bitcoincash ethereum lightning monero litecoin dogecoin payto upi venmo paypal cashapp alipay alipays weixin wechat
otpauth otpauth-migration openid openid4vp openid-credential-offer haip mdoc eudi-wallet fido webauthn ppoauth aadj`.split(
    /\s+/,
  ),
)

/** Windows and macOS add schemes of their own under these, and browsers open pages of other sites for `web+` and `ext+`. */
const EXECUTED_FAMILY =
  /^(?:ms|mshelp|microsoft|windows|win|x-apple|apple|com\.apple|com\.microsoft|search|chrome|edge|moz|about|itms|intent|web|ext|view|shell|jar|x-callback)(?:[.-]|$)/
