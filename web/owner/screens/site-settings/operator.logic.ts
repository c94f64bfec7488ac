/** Empty, or a web address; as the contract accepts it. */
export function isOptionalLink(typed: string): boolean {
  const value = typed.trim();
  return value === '' || (/^https?:\/\/[^\s@]+$/i.test(value) && URL.canParse(value));
}
