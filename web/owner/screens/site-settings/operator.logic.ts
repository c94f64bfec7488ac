/** Nothing, or an address that people can open; what the contract takes. */
export function isOptionalLink(typed: string): boolean {
  const value = typed.trim();
  return value === '' || (/^https?:\/\/[^\s@]+$/i.test(value) && URL.canParse(value));
}
