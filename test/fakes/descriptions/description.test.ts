import { describe, expect, it } from 'vitest';
import { startFakeServer } from '#test/fakes/tools/fake-tool.ts';
import { type DescribedTool, type Exchange, openDescription } from './description.ts';

const sendgrid = await opened('sendgrid');
const brevo = await opened('brevo');
const campaignMonitor = await opened('campaign-monitor');

async function opened(tool: DescribedTool) {
  const description = await openDescription(tool);
  return {
    ...description,
    check: (exchange: Exchange) => [
      ...description.checkRequest(exchange),
      ...description.checkAnswer(exchange),
    ],
  };
}

const suppress: Exchange = {
  method: 'POST',
  url: '/v3/asm/suppressions/global',
  headers: {},
  body: { recipient_emails: ['nora@example.com'] },
  status: 201,
  answer: '{"recipient_emails":["nora@example.com"]}',
};
const block: Exchange = {
  method: 'PUT',
  url: '/contacts/nora%40example.com?identifierType=email_id',
  headers: {},
  body: { emailBlacklisted: true },
  status: 204,
  answer: '',
};
const lists: Exchange = {
  method: 'GET',
  url: '/clients/4a39/lists.json',
  headers: {},
  body: null,
  status: 200,
  answer: '[{"ListID":"a58e","Name":"Weekly"}]',
};

describe('an exchange', () => {
  it('that matches the tool’s description passes', () => {
    expect(sendgrid.check(suppress)).toEqual([]);
    expect(brevo.check(block)).toEqual([]);
    expect(campaignMonitor.check(lists)).toEqual([]);
  });

  it('with a wrong body is found', () => {
    expect(sendgrid.check({ ...suppress, body: { recipient_emails: 'nora@example.com' } })).toEqual([
      'post /v3/asm/suppressions/global request: /requestBody/recipient_emails must be array',
    ]);
    expect(brevo.check({ ...block, body: { emailBlacklisted: 'yes' } })).toHaveLength(1);
    expect(brevo.check({ ...block, body: { emailBlacklist: true } })[0]).toContain('emailBlacklist');
  });

  it('with a wrong query is found', () => {
    expect(brevo.check({ ...block, url: '/contacts/1?identifierType=email' })).not.toEqual([]);
    expect(brevo.check({ ...block, url: '/contacts/a%40b.c?identifier=1' })).not.toEqual([]);
  });

  it('with a wrong response is found, even if it is an error', () => {
    expect(sendgrid.check({ ...suppress, answer: '{"emails":[]}' })).not.toEqual([]);
    expect(sendgrid.check({ ...suppress, status: 200 })).toEqual([
      'post /v3/asm/suppressions/global answer 200: is not described',
    ]);
    expect(brevo.check({ ...block, status: 404, answer: '{"error":"gone"}' })).not.toEqual([]);
    expect(campaignMonitor.check({ ...lists, answer: '[{"ListID":"a58e"}]' })).not.toEqual([]);
    expect(campaignMonitor.check({ ...lists, answer: '[{"ListID":7,"Name":"Weekly"}]' })).not.toEqual([]);
  });

  it('of an undescribed operation is found', () => {
    const nowhere = { ...suppress, url: '/v3/asm/suppressions/everywhere', method: 'PUT' };
    expect(sendgrid.describes(suppress)).toBe(true);
    expect(sendgrid.describes(nowhere)).toBe(false);
  });
});

describe('a fake with a description', () => {
  it('reports each mistake once, and ignores its simulated failures', async () => {
    const fake = await startFakeServer(
      (http) => {
        http.get('/base/contacts/lists', () => ({ lists: [{ id: 'one' }], count: 1 }));
      },
      { tool: 'brevo', basePath: '/base' },
    );
    try {
      fake.trouble({ status: 200, body: '{"count":"many"}' });
      await fetch(`${fake.url}/base/contacts/lists`);
      expect(fake.violations).toEqual([]);
      await fetch(`${fake.url}/base/contacts/lists`);
      await fetch(`${fake.url}/base/contacts/lists`);
      expect(fake.violations).toContain('get /contacts/lists answer 200: /lists/0/id must be integer');
      expect(new Set(fake.violations).size).toBe(fake.violations?.length);
    } finally {
      await fake.close();
    }
  });
});
