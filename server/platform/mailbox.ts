/** The address in `Name <address>` or in a bare address. */
export function addressOf(mailbox: string): string {
  return /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim();
}

/** The name in `Name <address>` or `"Name" <address>`; empty in a bare address. */
export function nameOf(mailbox: string): string {
  const name = /^(.*)<[^<>]+>\s*$/s.exec(mailbox)?.[1]?.trim() ?? '';
  return /^".*"$/s.test(name) ? name.slice(1, -1).replace(/\\(.)/gs, '$1') : name;
}
