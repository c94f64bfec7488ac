import pg from 'pg';

/* What is wrong with the URL of a database or a mail server. It holds a password, so no sentence repeats it. */

const PERCENT_ENCODE =
  'percent-encode special characters in its user and password, such as # as %23, / as %2F, ? as %3F and @ as %40';

/** A special character that was typed as it is ends the user, the password or the host too early. */
function isCutShort(value: string): boolean {
  if (!URL.canParse(value)) return true;
  const { username, pathname, search, searchParams, hash } = new URL(value);
  if (hash !== '' || /[/@]/.test(pathname.slice(1))) return true;
  return username === '' && search.includes('@') && !searchParams.has('user');
}

export function databaseUrlProblem(value: string): string | null {
  if (isCutShort(value)) {
    return `isn't a URL like postgres://user:password@host:5432/database; ${PERCENT_ENCODE}`;
  }
  try {
    void new pg.Client({ connectionString: value });
    return null;
  } catch (error) {
    if (error instanceof Error && 'path' in error)
      return `the file ${String(error.path)} that it names can't be read`;
    return `the database driver can't read it; ${PERCENT_ENCODE}`;
  }
}

/** What ports are registered for: RFC 8314, section 3.3; RFC 6409, section 3.1; RFC 5321, section 4.5.4.2. */
const PORTS_OF_TLS = ['465'];
const PORTS_OF_STARTTLS = ['25', '587'];

export function smtpUrlProblem(value: string): string | null {
  if (isCutShort(value) || /[^/]/.test(new URL(value).pathname)) {
    return `isn't a URL like smtp://user:password@host:587; ${PERCENT_ENCODE}`;
  }
  const url = new URL(value);
  if (url.protocol === 'smtp:' && PORTS_OF_TLS.includes(url.port)) return expectsTls(url);
  if (url.protocol === 'smtps:' && PORTS_OF_STARTTLS.includes(url.port)) return beginsPlain(url);
  return null;
}

/** Where nodemailer connects to. */
export function mailServerOf(url: URL): { host: string; port: number } {
  const port = url.port === '' ? (url.protocol === 'smtps:' ? 465 : 587) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

export function expectsTls(url: URL): string {
  const { host, port } = mailServerOf(url);
  return `${host} expects TLS from the first byte on port ${port}; write smtps:// instead of smtp://`;
}

export function beginsPlain(url: URL): string {
  const { host, port } = mailServerOf(url);
  return `${host} begins without TLS on port ${port} and changes to it (STARTTLS); write smtp:// instead of smtps://`;
}
