import { expect, it } from 'vitest';
import { runProgram } from '#test/harness/commands.ts';

it.each([
  ['SMTP_URL', 'smtp://user:pa#ss/wo@rd@host:587', "isn't a URL like smtp://user:password@host:587"],
  ['DATABASE_URL', 'postgres://sayso:pa#ss/w@rd@host:5432/sayso', "isn't a URL like postgres://"],
  ['APP_URL', 'https://example.com/sayso', 'must be only scheme, host and port'],
  ['MAIL_FROM', 'Acme', "must contain the sender's email"],
])(
  'a start with %s=%s ends with one line that names it and the fix, and repeats no secret',
  async (name, value, words) => {
    const { code, output } = await runProgram(['server/main.ts'], { [name]: value });
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^${name}: .+\\.\n$`));
    expect(output).toContain(words);
    expect(output).not.toContain('pa#ss');
  },
);
