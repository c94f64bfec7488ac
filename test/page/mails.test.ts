import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIL_STATES, SENDERS } from './mails.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The server's own files, by their path, with what is in them. */
const FILES = readdirSync(join(ROOT, 'server'), { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return { path: relative(ROOT, path).replaceAll(sep, '/'), text: readFileSync(path, 'utf8') };
  });

/** Functions by which files that draw mails let others write one. */
function writersIn(text: string): string[] {
  const functions = text.split(/^(?=export (?:async )?function )/m).slice(1);
  return functions
    .filter((one) => /mailDocument\(|\bhtml:\s*`<!doctype html>/.test(one))
    .flatMap((one) => /function (\w+)/.exec(one)?.[1] ?? []);
}

describe('the catalog of emails', () => {
  it('includes every writer of the product', () => {
    const written = FILES.flatMap(({ text }) => writersIn(text)).filter((name) => name !== 'mailDocument');
    expect(written.toSorted()).toEqual([...new Set(MAIL_STATES.map(({ writer }) => writer))].toSorted());
  });

  it('knows every file that sends emails, and shows what each sends', () => {
    const sends = /mailer\s*\.send\(|\bnotifyResponsible\(/;
    const sending = FILES.filter(({ text }) => sends.test(text)).map(({ path }) => path);
    expect(sending.toSorted()).toEqual(Object.keys(SENDERS).toSorted());
    const sent = new Set(Object.values(SENDERS).flat());
    expect([...sent].toSorted()).toEqual([...new Set(MAIL_STATES.map(({ writer }) => writer))].toSorted());
  });

  it('gives each state a name of its own', () => {
    const names = MAIL_STATES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each(MAIL_STATES.map((state) => ({ ...state })))('$name', ({ languages, write }) => {
  it('says the same in both its forms, in each language, and loads nothing', () => {
    for (const language of languages) {
      const { subject, html, text } = write(language);
      expect(subject).toMatch(/\S/);
      expect(html).toContain(`<html lang="${language}">`);
      const [, link = 'none'] = / href="([^"]+)"/.exec(html) ?? [];
      expect(text).toContain(link);
      expect(html).toContain('name="viewport"');
      expect(html).not.toMatch(/ src=|url\(|@import|<link/);
      expect(`${subject} ${html} ${text}`).not.toMatch(/undefined|\bnull\b|NaN|\[object/);
    }
  });
});
