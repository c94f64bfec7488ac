/** A name of this machine alone, so that what is served there is a trial. @param hostname as `URL` gives it */
export function isLocalName(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
