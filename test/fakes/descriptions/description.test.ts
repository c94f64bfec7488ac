import { describe, expect, it } from 'vitest';
import { startFakeServer } from '#test/fakes/tools/fake-tool.ts';
import { type Distilled, type Exchange, openDescription } from './description.ts';

const sendgrid = await opened('sendgrid');
const brevo = await opened('brevo');
const campaignMonitor = await opened('answers/campaign-monitor');
const hubspot = await opened('answers/hubspot');

async function opened(name: Distilled) {
  const description = await openDescription(name);
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

describe('a recorded answer', () => {
  it('is held to the status only where that was recorded', () => {
    const answer = '{"id":"1","properties":{},"createdAt":"","updatedAt":"","archived":false,"url":""}';
    const created: Exchange = { ...suppress, url: '/crm/objects/2026-09/contacts', body: {}, answer };
    expect(hubspot.check({ ...created, status: 201 })).toEqual([]);
    const search = { ...created, url: `${created.url}/search`, answer: '{"total":0,"results":[]}' };
    expect(hubspot.check({ ...search, status: 200 })).toEqual([]);
    expect(hubspot.check({ ...search, status: 201 })).toHaveLength(1);
  });

  it('may have any name where each account has its own, and no other', () => {
    const contact = {
      id: '1',
      properties: { hobby: 'chess' },
      createdAt: '',
      updatedAt: '',
      archived: false,
    };
    const read = (body: object): Exchange => ({
      ...lists,
      url: '/crm/objects/2026-09/contacts/1',
      answer: JSON.stringify({ ...contact, url: '', ...body }),
    });
    expect(hubspot.check(read({}))).toEqual([]);
    expect(hubspot.check(read({ hobby: 'chess' }))).not.toEqual([]);
    expect(hubspot.check(read({ id: 1 }))).not.toEqual([]);
  });

  it('completes what a fake leaves out, and nothing that it says', () => {
    const asked: Exchange = { ...lists, url: '/clients.json' };
    expect(campaignMonitor.complete?.(asked, [{ ClientID: 'a' }])).toEqual([{ ClientID: 'a', Name: '' }]);
    expect(campaignMonitor.complete?.({ ...asked, status: 401 }, {})).toEqual({});
    expect(sendgrid.complete?.(suppress, {})).toEqual({});
  });
});

describe('a fake with a description', () => {
  it('reports each mistake once, and ignores its simulated failures', async () => {
    const fake = await startFakeServer(
      (http) => {
        http.get('/base/contacts/lists', () => ({ lists: [{ id: 'one' }], count: 1 }));
      },
      { distilled: ['brevo'], basePath: '/base' },
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
