/** JSON indented for reading; anything else as it came. */
export function prettyBody(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}
