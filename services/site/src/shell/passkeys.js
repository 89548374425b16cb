// Signs a form with a passkey (WebAuthn). On an unexpected error the form is sent without a response, and the server
// explains what to do.
{
  /** The server's options expire after 5 minutes. */
  const RENEW_MS = 240_000

  const isSupported = 'PublicKeyCredential' in globalThis && 'credentials' in navigator
  for (const part of isSupported ? document.querySelectorAll('[data-passkeys]') : []) enable(part)

  function enable(part) {
    const form = part.querySelector('form')
    const outcome = form.querySelector('[data-outcome]')
    part.querySelector('[data-fallback]').hidden = true
    form.hidden = false
    let offer
    let isBusy = false
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      if (isBusy) return
      isBusy = true
      outcome.textContent = ''
      offer?.abort()
      try {
        await answer(form)
        form.submit()
      } catch (error) {
        if (error.name === 'NotAllowedError' || error.name === 'AbortError')
          outcome.textContent = 'No passkey was used.'
        else if (error.name === 'InvalidStateError') outcome.textContent = 'This device already has a passkey for you.'
        else form.submit()
      }
      isBusy = false
    })
    if ('offersInField' in form.dataset) void offerInField()

    /** Offers passkeys in the email field's autofill, where the browser can. */
    async function offerInField() {
      if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
      while (!isBusy) {
        offer = new AbortController()
        const { signal } = offer
        const renewal = setTimeout(() => offer.abort('renew'), RENEW_MS)
        try {
          await answer(form, { mediation: 'conditional', signal })
          return form.submit()
        } catch {
          if (signal.reason !== 'renew') return
        } finally {
          clearTimeout(renewal)
        }
      }
    }
  }

  async function answer(form, how = {}) {
    form.elements.response.value = ''
    const reply = await fetch(form.dataset.options, { method: 'POST', headers: { accept: 'application/json' } })
    if (!reply.ok) throw new Error(`answered ${reply.status}`)
    const { ceremony, options } = await reply.json()
    const isNew = form.dataset.passkey === 'create'
    const publicKey = isNew ? toCreation(options) : toRequest(options)
    const credential = await navigator.credentials[isNew ? 'create' : 'get']({ publicKey, ...how })
    form.elements.ceremony.value = ceremony
    form.elements.response.value = JSON.stringify(toJson(credential))
  }

  function toCreation(options) {
    if (PublicKeyCredential.parseCreationOptionsFromJSON)
      return PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const user = { ...options.user, id: toBytes(options.user.id) }
    const excludeCredentials = (options.excludeCredentials ?? []).map(withBytes)
    return { ...options, user, challenge: toBytes(options.challenge), excludeCredentials }
  }

  function toRequest(options) {
    if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const allowCredentials = (options.allowCredentials ?? []).map(withBytes)
    return { ...options, challenge: toBytes(options.challenge), allowCredentials }
  }

  /** Older browsers lack credential.toJSON(), and it throws for some password managers. */
  function toJson(credential) {
    const { id, type, rawId, response } = credential
    const signed = {}
    for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'])
      if (response[name]) signed[name] = toText(response[name])
    if (response.getTransports) signed.transports = response.getTransports()
    return { id, type, rawId: toText(rawId), response: signed }
  }

  function withBytes(credential) {
    return { ...credential, id: toBytes(credential.id) }
  }

  function toBytes(text) {
    const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  }

  function toText(buffer) {
    const binary = String.fromCharCode(...new Uint8Array(buffer))
    return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  }
}
