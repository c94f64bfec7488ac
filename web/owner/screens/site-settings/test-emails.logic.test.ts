import { expect, it } from 'vitest';
import { testEmailPattern } from '#contract/sites.ts';
import { parseTestEmails } from './test-emails.logic.ts';

it('the field accepts one email or domain per line as the API stores them, each once', () => {
  const text = ' QA@Acme.example \n\n@Test.Acme.example\r\nqa@acme.example\n@bücher.example';
  expect(parseTestEmails(text)).toEqual({
    emails: ['qa@acme.example', '@test.acme.example', '@xn--bcher-kva.example'],
    wrongLine: null,
  });
  expect(parseTestEmails('')).toEqual({ emails: [], wrongLine: null });
});

it('the error names the first invalid line, counting empty ones', () => {
  expect(parseTestEmails('qa@acme.example\n\nqa\nacme').wrongLine).toBe(3);
});

it('each line is judged as by the API', () => {
  const right = ['qa@acme.example', '@acme.example', '@test.acme.example', 'ünal@bücher.example'];
  const wrong = ['qa', 'acme.example', '@acme', '@', '*@acme.example', '@*.acme.example', 'q a@acme.example'];
  for (const line of [...right, ...wrong]) {
    expect(parseTestEmails(line).wrongLine === null, line).toBe(testEmailPattern.safeParse(line).success);
  }
  expect(wrong.filter((line) => parseTestEmails(line).wrongLine === null)).toEqual([]);
  expect(parseTestEmails(right.join('\n')).emails).toEqual(right.map((line) => testEmailPattern.parse(line)));
});
