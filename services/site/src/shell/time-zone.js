// Stores the reader's time zone in a cookie, for the next page's dates and times.
{
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const cookie = `time_zone=${timeZone}`
  if (timeZone && !document.cookie.split('; ').includes(cookie))
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = `${cookie}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`
}
