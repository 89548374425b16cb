export function readCookie(header: string | undefined, name: string): string | undefined {
  const cookies = (header ?? '').split(/; */)
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
}
