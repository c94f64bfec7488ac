import { type DkimKey, signEmail } from './dkim-signer.ts';

export const SHOP = 'shop.example';
/** Of the shop's DKIM key. */
export const SELECTOR = 'news';
export const SIGNED = [
  ...['From', 'To', 'Subject', 'List-Id', 'List-Unsubscribe', 'List-Unsubscribe-Post'],
  ...['Content-Type', 'MIME-Version'],
];

export type Headers = Record<string, string | string[] | null>;

export interface Email {
  headers?: Headers;
  html?: string;
  signed?: readonly string[];
  sign?: { key: DkimKey; selector: string; domain?: string; tags?: string } | null;
  /** What happens to it on its way. */
  after?: (raw: string) => string;
}

/** An email of the shop as it should be, but for what is given. */
export function shopEmail(
  { headers = {}, html, signed = SIGNED, sign, after }: Email,
  good: { key: DkimKey; oneClickUrl: string; html: string },
): string {
  const all: Headers = {
    From: `The shop <news@${SHOP}>`,
    To: `Nora <nora@${SHOP}>`,
    Subject: 'News',
    'MIME-Version': '1.0',
    'Content-Type': 'text/html; charset=utf-8',
    'List-Id': `News <news.${SHOP}>`,
    'List-Unsubscribe': `<${good.oneClickUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    ...headers,
  };
  const fields = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `${name}: ${one}`),
  );
  const raw = `${fields.join('\r\n')}\r\n\r\n${html ?? good.html}\r\n`;
  const by = sign === undefined ? { key: good.key, selector: SELECTOR } : sign;
  const sent = by === null ? raw : signEmail(raw, { domain: SHOP, ...by, signed });
  return after === undefined ? sent : after(sent);
}

/** In letters; an email may have 2 MB. */
const LARGEST = 1_900_000;

/** Emails on which a reader could spend a time that grows with the square of their length. @param long at most `LARGEST` */
export function hostileEmails(
  build: (email: Email) => string,
  long = LARGEST,
): [name: string, email: () => string][] {
  const html = (body: string) => () => build({ html: body });
  const fill = (piece: string) => piece.repeat(Math.floor(long / piece.length));
  const most = (count: number) => Math.floor((count * long) / LARGEST);
  return [
    ['open tags', html(fill('<a href=x>'))],
    ['deep elements', html(fill('<div style="display:none">'))],
    ['unmatched end tags', html(`${'<b>'.repeat(most(200_000))}${fill('</i>').slice(0, most(1_000_000))}`)],
    ['tags without an end', html(fill('<a href="'))],
    ['quotes without an end', html(fill(`<a x="><b y='>`))],
    ['spaces in tags', html(`<a ${fill(' ')}`)],
    ['attributes', html(`<a ${fill('a  = ')}>x</a>`)],
    ['comments', html(fill('<!-- <!-'))],
    ['one word', html(`<a href=x>${fill('unsubscri')}</a>`)],
    ['openings of merge fields', html(`<a href="${fill('{{ %%A_')}">x</a>`)],
    [
      'links to many hosts',
      html([...Array(most(30_000)).keys()].map((at) => `<a href="https://h${at}.example/u">x</a>`).join('')),
    ],
    ['text links', () => build({ html: fill('http://a.b '), headers: { 'Content-Type': 'text/plain' } })],
    [
      'many signatures',
      () =>
        'DKIM-Signature: v=1; a=rsa-sha256; d=shop.example; s=news; h=from; bh=eA==; b=eA==\r\n'.repeat(
          most(1000),
        ) + build({ html: 'x\r\n'.repeat(most(20_000)) }),
    ],
    ['a long h=', () => build({ signed: Array(most(20_000)).fill('From') as string[] })],
    ['a long encoded header', () => build({ headers: { Subject: '=?utf-8?Q?=41?= '.repeat(most(15_000)) } })],
    [
      'brackets in List-Unsubscribe',
      () => build({ headers: { 'List-Unsubscribe': '<'.repeat(most(200_000)) } }),
    ],
    ['a long From', () => build({ headers: { From: `${'(('.repeat(most(60_000))}<a@b.example>` } })],
    ['a long To', () => build({ headers: { To: 'a@b.example, '.repeat(most(15_000)) } })],
    [
      'a long Authentication-Results',
      () => build({ headers: { 'Authentication-Results': 'spf=pass '.repeat(most(25_000)) } }),
    ],
    ['one line', html('x'.repeat(long))],
    ['spaces at the end', html(`${' '.repeat(long)}.`)],
    ['as many lines as it may have', html('\r\n'.repeat(most(59_000)))],
  ];
}
